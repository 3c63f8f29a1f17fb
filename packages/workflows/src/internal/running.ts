import * as DurableClock from "@effect/workflow/DurableClock"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import type * as Engine from "../Engine.js"
import * as Execution from "../Execution.js"
import type * as Policy from "../Policy.js"
import { persistently } from "./persistently.js"

/** A call with all its retries takes 3 minutes unless the gateway's policy says otherwise. */
const longestStepMillis = Duration.toMillis("5 minutes")

/** What a step may do. */
export type Permit = "first" | "again" | "cancelled" | "expired"

/** One run of a body: a later one replays the steps whose results the engine has stored. */
export interface Service {
  readonly workflow: string
  readonly businessKey: string
  readonly policy: Policy.Policy

  /** Takes the name of a step, which may be used once. */
  readonly take: (name: string) => Effect.Effect<void>

  /** Records that the body has the result of a step, so that the engine has stored it. */
  readonly onEnd: (name: string) => void

  /**
   * Records that a step begins, unless the execution is to be cancelled first. A write is also refused when an
   * earlier request of it is so old that the service may have forgotten its key: the process may have been
   * down for days.
   */
  readonly begin: (
    name: string,
    options?: { readonly round: number; readonly isDoubtful: boolean }
  ) => Effect.Effect<Permit>

  /** Stores when the execution is due. Returns whether its cancellation was requested. */
  readonly due: (pause: string | undefined, inMillis: number) => Effect.Effect<boolean>

  /** The error of an execution that ends because its cancellation was requested. */
  readonly cancelled: () => Execution.ExecutionCancelled

  /** What the writes of this execution did. */
  readonly money: {
    /** Whether the outcome of a write is unknown. */
    isUnknown: boolean
    isApplied: boolean
    /** The id of the last resource. */
    resource: string | undefined
  }

  /** In the order of the steps that they undo. */
  readonly compensations: Array<Effect.Effect<void>>
  /** Compensations run although the execution is to be cancelled. */
  isCompensating: boolean
}

export class Running extends Context.Tag("@manilla/workflows/Running")<Running, Service>() {}

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

  /** An execution without the steps that have ended, and with the resource that they created. */
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
    begin: (name, { isDoubtful, round } = { round: 0, isDoubtful: false }) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const permit = yield* modify<Permit>((execution) => {
          const before = execution.begun[name]
          const isAgain = before !== undefined && before.round >= round
          if (execution.isCancelRequested && !running.isCompensating && !isAgain && !isDoubtful) {
            return ["cancelled", execution]
          }
          const sinceMillis = before?.sinceMillis ?? now
          const isOld = now - sinceMillis > Duration.toMillis(policy.carryOn.deadline)
          if ((isAgain || isDoubtful) && isOld) return ["expired", execution]
          const changed = {
            ...progress(execution),
            begun: { ...progress(execution).begun, [name]: { round, sinceMillis } },
            pause: undefined,
            dueMillis: now + longestStepMillis
          }
          return [isAgain ? "again" : "first", changed]
        })
        // An execution that is no longer stored may have begun this step before.
        return Option.getOrElse(permit, () => "again" as const)
      }),
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
        outcome: running.money.isApplied ? "applied" : "notApplied",
        resource: running.money.resource
      }),
    money: { isUnknown: false, isApplied: false, resource: undefined },
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

/** Records that the body has the result of a step, unless the body is being suspended. */
export const ending =
  (name: string) =>
  <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Running> => {
    const record = Effect.map(Running, ({ onEnd }) => onEnd(name))
    return Effect.tapBoth(step, { onSuccess: () => record, onFailure: () => record })
  }
