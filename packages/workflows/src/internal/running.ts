import * as DurableClock from "@effect/workflow/DurableClock"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import type * as Engine from "../Engine.js"
import * as Execution from "../Execution.js"
import type * as Policy from "../Policy.js"
import { Running, type Permit, type Service } from "../Running.js"
import { persistently } from "./persistently.js"

/** A call with all its retries takes 3 minutes unless the gateway's policy says otherwise. */
const longestStepMillis = Duration.toMillis("5 minutes")

const isStorageError = (error: Execution.StorageError): error is Execution.StorageError =>
  error._tag === "StorageError"

export const make = (
  engine: Engine.Service,
  workflow: string,
  businessKey: string,
  policy: Policy.Policy
): Service => {
  const taken = new Set<string>()
  const ended = new Set<string>()

  const modify = <A>(
    change: (execution: Execution.Execution) => readonly [A, Execution.Execution]
  ): Effect.Effect<Option.Option<A>> =>
    persistently(engine.modify({ workflow, businessKey }, change), isStorageError)

  /** An execution without the steps that are known to have ended, and with the resource that they created. */
  const progress = (execution: Execution.Execution): Execution.Execution => ({
    ...execution,
    begun: Record.filter(execution.begun, (_, name) => !ended.has(name)),
    resource: running.money.resource ?? execution.resource
  })

  const running: Service = {
    workflow,
    businessKey,
    policy,
    take: (name) =>
      Effect.suspend(() => {
        if (taken.has(name)) {
          return Effect.dieMessage(
            `${workflow}: two steps have the name "${name}". The second would read the result of the first.`
          )
        }
        taken.add(name)
        return Effect.void
      }),
    onEnd: (name) => void ended.add(name),
    begin: (name, { isDoubtful, round, sentMillis } = { round: 0, isDoubtful: false }) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const permit = yield* modify<Permit>((execution) => {
          if (execution.end !== undefined) return [{ _tag: "Expired" }, execution]
          const before = execution.begun[name]
          const isAgain = before !== undefined && before.round >= round
          if (isAgain && before.refusal !== undefined) {
            return [{ _tag: "Refused", error: before.refusal }, execution]
          }
          if (execution.isCancelRequested && !running.isCompensating && !isAgain && !isDoubtful) {
            return [{ _tag: "Cancelled" }, execution]
          }
          const sinceMillis = before?.sinceMillis ?? sentMillis ?? now
          const isOld = now - sinceMillis > Duration.toMillis(policy.carryOn.deadline)
          if ((isAgain || isDoubtful) && isOld) return [{ _tag: "Expired" }, execution]
          const begins = (before?.begins ?? 0) + 1
          const changed = {
            ...progress(execution),
            begun: { ...progress(execution).begun, [name]: { round, sinceMillis, begins } },
            pause: undefined,
            dueMillis: now + longestStepMillis
          }
          return [{ _tag: "Granted", begins, isAgain }, changed]
        })
        // An execution that is no longer stored may have begun this step before.
        return Option.getOrElse(permit, () => ({ _tag: "Granted", begins: 0, isAgain: true }))
      }),
    refuse: (name, begins, error) =>
      modify((execution) => {
        const begun = execution.begun[name]
        return begun?.begins === begins
          ? [
              true,
              { ...execution, begun: { ...execution.begun, [name]: { ...begun, refusal: error } } }
            ]
          : [false, execution]
      }).pipe(Effect.map(Option.getOrElse(() => false))),
    due: (pause, inMillis) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const isCancelRequested = yield* modify((execution) => [
          execution.isCancelRequested && !running.isCompensating,
          { ...progress(execution), pause, dueMillis: now + inMillis }
        ])
        return Option.getOrElse(isCancelRequested, () => false)
      }),
    cancelled: () =>
      new Execution.ExecutionCancelled({
        workflow,
        businessKey,
        outcome: running.money.isUnknown
          ? "unknown"
          : running.money.isApplied
            ? "applied"
            : "notApplied",
        resource: running.money.resource
      }),
    money: { isUnknown: false, isApplied: false, isInDoubt: false, resource: undefined },
    compensations: [],
    isCompensating: false
  }
  return running
}

/** A pause of an execution, which ends on time in a later life of the process too. */
export const sleep = (name: string, pauseMillis: number) =>
  DurableClock.sleep({
    name,
    duration: Duration.millis(pauseMillis),
    // A pause in memory would start again after a crash.
    inMemoryThreshold: Duration.zero
  })

/** Records that the body has the result of a step that moves no money, unless the body is being suspended. */
export const ending =
  (name: string) =>
  <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Running> => {
    const record = Effect.map(Running, ({ onEnd }) => onEnd(name))
    return Effect.tapBoth(step, { onSuccess: () => record, onFailure: () => record })
  }
