/**
 * Snapshots of the state.
 */
import * as Either from "effect/Either"
import type * as ControlApi from "../../ControlApi.js"
import * as ledger from "../money/ledger.js"
import * as refusal from "../rules/refusal.js"
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
): Either.Either<state.State, refusal.Refusal> => {
  if (snapshot.version !== state.version) {
    return refusal.because("SNAPSHOT_VERSION", "version", `must be ${state.version}`)
  }
  return state.decode(snapshot.state).pipe(
    Either.filterOrLeft(ledger.isSound, () => [unsound]),
    Either.mapLeft((issues) => refusal.of("SNAPSHOT_INVALID", { issues }))
  )
}

const unsound = {
  field: "state.ledger_accounts",
  rule: "must have the balances of the journal, whose entries balance"
}
