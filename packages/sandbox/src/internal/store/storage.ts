/**
 * Where the state of a sandbox is kept: in memory, or also in a file.
 */
import * as Effect from "effect/Effect"
import type { DataError } from "../../Sandbox.js"
import type * as state from "./state.js"

export interface Storage {
  /** The state to start with, if one was kept. */
  readonly kept: state.State | undefined
  /** Starts to record the changes of a new state, and no longer those of an earlier one. */
  readonly record: () => state.OnChange
  /** Keeps a new state as a whole, with what it records from now on. */
  readonly replace: (state: state.State) => void
  /** Waits until all changes until now are kept. */
  readonly saved: Effect.Effect<void, DataError>
}

export const memory: Storage = {
  kept: undefined,
  record: () => () => {},
  replace: () => {},
  saved: Effect.void
}
