/**
 * Snapshots of the state.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as ControlApi from "../../ControlApi.js"
import * as errors from "../control/errors.js"
import * as ledger from "../money/ledger.js"
import * as state from "./state.js"

export const make = (of: state.State, nowMillis: number): ControlApi.Snapshot => ({
  format: "manilla-sandbox",
  version: state.version,
  now_ms: nowMillis,
  state: state.encode(of)
})

/** Reads the state of a snapshot, or says why it cannot be read. */
export const read = (
  snapshot: ControlApi.Snapshot
): Effect.Effect<state.State, ControlApi.ControlError> =>
  Effect.gen(function* () {
    if (snapshot.version !== state.version) {
      return yield* errors.invalid(
        "SNAPSHOT_VERSION",
        `The snapshot has version ${snapshot.version}. This sandbox reads version ${state.version}.`,
        [{ field: "version", rule: `must be ${state.version}` }]
      )
    }
    const read = yield* Either.mapLeft(state.decode(snapshot.state), invalid)
    if (!ledger.isSound(read)) return yield* invalid([unsound])
    return read
  })

const invalid = (issues: ControlApi.ControlError["issues"]) =>
  errors.invalid("SNAPSHOT_INVALID", "The snapshot is not a state of a sandbox.", issues)

const unsound = {
  field: "state.ledger_accounts",
  rule: "must have the balances of the journal, whose entries balance"
}
