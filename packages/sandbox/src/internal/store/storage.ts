/**
 * Where the state of a sandbox is kept: in memory, or also in a file.
 */
import * as Effect from "effect/Effect"
import type { DataError } from "../../Sandbox.js"
import type * as state from "./state.js"

export interface Storage {
  /** The state to start with, if one was kept. Its changes are kept. */
  readonly kept: state.State | undefined
  /** Keeps another state, as a whole and with its changes from now on. */
  readonly keep: (state: state.State) => void
  /** Waits until all changes until now are kept. */
  readonly saved: Effect.Effect<void, DataError>
}

export const memory: Storage = { kept: undefined, keep: () => {}, saved: Effect.void }
