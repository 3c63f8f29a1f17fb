import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import type * as store from "./store.js"
import type * as Execution from "../Execution.js"
import { isStorageError } from "./execution.js"
import { persistently } from "./persistently.js"
import type { Journal, Permit, Round, Run } from "./journal.js"

/** A call with all its retries takes 3 minutes unless the gateway's policy says otherwise. */
const longestStepMillis = Duration.toMillis("5 minutes")

/** An execution without the steps that are known to have ended, and with the resource that they created. */
const progress = (execution: Execution.Execution, { ended, money }: Run): Execution.Execution => ({
  ...execution,
  begun: Record.filter(execution.begun, (_, name) => !ended.has(name)),
  resource: money.resource ?? execution.resource
})

/** The journal of an engine of ours, in the row of the execution. */
export const make =
  (engine: store.Store) =>
  ({ executionId }: WorkflowEngine.WorkflowInstance["Type"]): Effect.Effect<Journal> =>
    Effect.gen(function* () {
      const modify = <A>(
        change: (execution: Execution.Execution) => readonly [A, Execution.Execution]
      ): Effect.Effect<Option.Option<A>> =>
        persistently(engine.modify(executionId, change), isStorageError)

      const begin = (name: string, { isDoubtful, round, sentMillis }: Round, run: Run) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const permit = yield* modify<Permit>((execution) => {
            if (execution.end !== undefined) return [{ _tag: "Expired" }, execution]
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
            const done = progress(execution, run)
            const changed = {
              ...done,
              begun: { ...done.begun, [name]: { round, sinceMillis, begins } },
              pause: undefined,
              dueMillis: now + longestStepMillis
            }
            return [{ _tag: "Granted", begins, isAgain }, changed]
          })
          // An execution that is no longer stored may have begun this step before.
          return Option.getOrElse(permit, (): Permit => ({
            _tag: "Granted",
            begins: 0,
            isAgain: true
          }))
        })

      const stored = yield* persistently(engine.read(executionId), isStorageError)
      return {
        key: Option.match(stored, {
          onNone: () => executionId,
          onSome: ({ businessKey }) => businessKey
        }),
        permit: (name, round, run) => Effect.succeed(begin(name, round, run)),
        begin: (name, run) => begin(name, { round: 0, isDoubtful: false }, run),
        refuse: (name, begins, error) =>
          modify((execution) => {
            const begun = execution.begun[name]
            if (begun?.begins !== begins) return [false, execution]
            const refused = { ...execution.begun, [name]: { ...begun, refusal: error } }
            return [true, { ...execution, begun: refused }]
          }).pipe(Effect.map(Option.getOrElse(() => false))),
        due: (pause, inMillis, run) =>
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const isCancelRequested = yield* modify((execution) => [
              execution.isCancelRequested && !run.isCompensating,
              { ...progress(execution, run), pause, dueMillis: now + inMillis }
            ])
            return Option.getOrElse(isCancelRequested, () => false)
          })
      }
    })
