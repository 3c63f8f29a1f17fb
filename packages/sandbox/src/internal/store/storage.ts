/**
 * The place where a state is kept.
 */
import * as Effect from "effect/Effect"
import type * as Sandbox from "../../Sandbox.js"
import type { State } from "./state.js"

export interface Storage {
  /** The state to start with, if one was kept. Its changes are kept. */
  readonly kept: State | undefined
  /** Keeps another state, as a whole and with its changes from now on. */
  readonly keep: (state: State) => void
  /** Waits until all changes until now are kept. */
  readonly saved: Effect.Effect<void, Sandbox.DataError>
}

/** Keeps nothing beyond the process. */
export const memory: Storage = { kept: undefined, keep: () => {}, saved: Effect.void }
