/**
 * Snapshots of the state.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Sandbox from "../../Sandbox.js"
import * as state from "./state.js"

export const make = (of: state.State, nowMillis: number): Sandbox.Snapshot => ({
  format: "manilla-sandbox",
  version: Sandbox.snapshotVersion,
  now_ms: nowMillis,
  state: state.encode(of)
})

/** Reads the state of a snapshot, or says why it cannot be read. */
export const read = (snapshot: Sandbox.Snapshot): Effect.Effect<state.State, Sandbox.Refused> =>
  snapshot.version === Sandbox.snapshotVersion
    ? Either.mapLeft(
        state.decode(snapshot.state),
        (issues) =>
          new Sandbox.Refused({
            code: "SNAPSHOT_INVALID",
            message: "The snapshot is not a state of a sandbox.",
            issues
          })
      )
    : Effect.fail(
        new Sandbox.Refused({
          code: "SNAPSHOT_VERSION",
          message: `The snapshot has version ${snapshot.version}. This sandbox reads version ${Sandbox.snapshotVersion}.`,
          issues: [{ field: "version", rule: `must be ${Sandbox.snapshotVersion}` }]
        })
      )
