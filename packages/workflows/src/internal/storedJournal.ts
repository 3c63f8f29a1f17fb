import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Execution from "../Execution.js"
import type { Journal, Permit, Round, Run } from "./journal.js"

/** An execution that this process owns. */
export interface Owned {
  readonly key: string
  readonly modify: <A>(
    change: (execution: Execution.Execution) => readonly [A, Execution.Execution]
  ) => Effect.Effect<A>
  readonly isCancelled: Journal["isCancelled"]
}

/** The journal of an engine of ours, in the row of the execution. */
export const make = ({ isCancelled, key, modify }: Owned): Journal => {
  const begin = (name: string, { isDoubtful, round, sentMillis }: Round, run: Run) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      modify<Permit>((execution) => {
        const before = execution.begun[name]
        const isAgain = before !== undefined && before.round >= round
        if (isAgain && before.refusal !== undefined) {
          return [{ _tag: "Refused", error: before.refusal }, execution]
        }
        if (execution.isCancelRequested && !run.isCompensating && !isAgain && !isDoubtful) {
          return [{ _tag: "Cancelled" }, execution]
        }
        const sinceMillis = before?.sinceMillis ?? sentMillis ?? now
        const isOld = now - sinceMillis > Duration.toMillis(run.policy.carryOn.deadline)
        if ((isAgain || isDoubtful) && isOld) return [{ _tag: "Expired" }, execution]
        const begins = (before?.begins ?? 0) + 1
        const begun = { ...execution.begun, [name]: { round, sinceMillis, begins } }
        return [
          { _tag: "Granted", begins, isAgain },
          { ...execution, begun }
        ]
      })
    )

  return {
    key,
    isCancelled,
    permit: (name, round, run) => Effect.succeed(begin(name, round, run)),
    refuse: (name, begins, error) =>
      modify((execution) => {
        const begun = execution.begun[name]
        if (begun?.begins !== begins) return [false, execution]
        const refused = { ...execution.begun, [name]: { ...begun, refusal: error } }
        return [true, { ...execution, begun: refused }]
      })
  }
}
