/**
 * Snapshots of the state.
 */
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ControlApi from "../../ControlApi.js"
import * as errors from "../control/errors.js"
import * as state from "./state.js"

export const make = (of: state.State, nowMillis: number): ControlApi.Snapshot => ({
  format: "manilla-sandbox",
  version: ControlApi.snapshotVersion,
  now_ms: nowMillis,
  state: state.encode(of)
})

/** Reads the state of a snapshot, or says why it cannot be read. */
export const read = (
  snapshot: ControlApi.Snapshot
): Effect.Effect<state.State, ControlApi.ControlError> =>
  snapshot.version === ControlApi.snapshotVersion
    ? Either.mapLeft(state.decode(snapshot.state), (issues) =>
        errors.invalid("SNAPSHOT_INVALID", "The snapshot is not a state of a sandbox.", issues)
      )
    : errors.invalid(
        "SNAPSHOT_VERSION",
        `The snapshot has version ${snapshot.version}. This sandbox reads version ${ControlApi.snapshotVersion}.`,
        [{ field: "version", rule: `must be ${ControlApi.snapshotVersion}` }]
      )
