import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import type * as Errors from "@manilla/core/Errors"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Execution from "../Execution.js"
import * as Policy from "../Policy.js"
import { checkName } from "./Text.js"

type Instance = WorkflowEngine.WorkflowInstance["Type"]
type Engine = WorkflowEngine.WorkflowEngine["Type"]

/** The requirement of every block: the execution that it belongs to. */
export type InExecution = WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance

/** The services of the caller's own that a block needs. */
export type Own<R> = Exclude<R, Scope.Scope | InExecution>

/** The knowledge of an engine about an execution. */
export interface Known {
  /** The key under which an operator finds the execution, or its id. */
  readonly key: string
  /** Whether the execution is to be cancelled. False at a pause that has ended: the next block sees it. */
  readonly isCancelled: (pause?: string) => Effect.Effect<boolean>
  /** The stored results of its steps, as JSON. Undefined on other engines. */
  readonly steps:
    | {
        readonly find: (name: string) => Effect.Effect<string | undefined>
        /** Stores a result, and returns the one that counts. */
        readonly keep: (name: string, exit: string) => Effect.Effect<string>
      }
    | undefined
}

type Knows = Effect.Effect<Known, never, WorkflowEngine.WorkflowInstance>

const engines = new WeakMap<Engine, Knows>()

/** Gives an engine of ours what the blocks ask it. */
export const withKnowledge = (engine: Engine, knows: Knows): Engine => {
  engines.set(engine, knows)
  return engine
}

/** Other engines interrupt a body themselves. */
const others: Knows = Effect.map(WorkflowEngine.WorkflowInstance, ({ executionId }) => ({
  key: executionId,
  isCancelled: () => Effect.succeed(false),
  steps: undefined
}))

/** The effect of the writes of a body, and of the executions that it has started and awaited. */
export interface Money {
  /** Whether the outcome of a write is unknown. */
  isUnknown: boolean
  /** Whether a write moved money. */
  isApplied: boolean
  /** Whether a write that ended with an error moved money, or may have. Nothing is undone then. */
  isInDoubt: boolean
  /** The executions that it awaits, or awaited until it failed. Each may move money yet. */
  readonly open: Set<string>
  /** The id of the last resource. */
  resource: string | undefined
}

/** One run of a body: a later one replays the steps whose results the engine has stored. */
export interface Run extends Known {
  readonly workflow: string
  readonly policy: Policy.Policy
  /** The names of all steps, each of which may be used once. */
  readonly taken: Set<string>
  readonly money: Money
  /** Compensations run although the execution is to be cancelled. */
  isCompensating: boolean
}

const runs = new WeakMap<Scope.Scope, { readonly instance: Instance; readonly run: Run }>()
const moneys = new WeakMap<Scope.Scope, Money>()

export const moneyOf = ({ scope }: Instance): Money => {
  const money = moneys.get(scope) ?? {
    isUnknown: false,
    isApplied: false,
    isInDoubt: false,
    open: new Set<string>(),
    resource: undefined
  }
  moneys.set(scope, money)
  return money
}

export const outcomeOf = ({ isApplied, isUnknown, open }: Money): Errors.Outcome =>
  isUnknown || open.size > 0 ? "unknown" : isApplied ? "applied" : "notApplied"

/** The effect of a write or of an execution that has ended. */
interface Ended extends Partial<Pick<Execution.Execution, "outcome" | "resource">> {
  readonly hasFailed: boolean
}

/** Whether something that ended with an error, or has not ended, moved money, or may have. */
export const isInDoubt = ({ isInDoubt, open }: Money): boolean => isInDoubt || open.size > 0

/** Adds the effect of a write or of an execution to that of the body. */
export const add = (money: Money, { hasFailed, outcome, resource }: Ended): void => {
  money.isUnknown ||= outcome === "unknown"
  money.isApplied ||= outcome === "applied"
  money.isInDoubt ||= outcome === "unknown" || (outcome === "applied" && hasFailed)
  money.resource = resource ?? money.resource
}

/** The run of a body. Undefined if it has used no block. */
export const of = ({ scope }: Instance): Run | undefined => runs.get(scope)?.run

/** The run that a block belongs to. */
export const current: Effect.Effect<Run, never, InExecution> = Effect.gen(function* () {
  const instance = yield* WorkflowEngine.WorkflowInstance
  const begun = runs.get(instance.scope)
  if (begun?.instance === instance) return begun.run
  if (begun !== undefined) {
    return yield* Effect.dieMessage(
      `${instance.workflow.name}: a block runs in a race. Start an execution for it.`
    )
  }
  const { isCancelled, key, steps } = yield* (
    engines.get(yield* WorkflowEngine.WorkflowEngine) ?? others
  )
  const run: Run = {
    key,
    steps,
    isCancelled: (pause) => (run.isCompensating ? Effect.succeed(false) : isCancelled(pause)),
    workflow: instance.workflow.name,
    policy: yield* Policy.Current,
    taken: new Set(),
    money: moneyOf(instance),
    isCompensating: false
  }
  runs.set(instance.scope, { instance, run })
  return run
})

/** Takes the name of a step, or another one that a body may use once. */
export const take = (
  { taken, workflow }: Run,
  name: string,
  why = `two steps have the name "${name}". The second would read the result of the first.`
): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (taken.has(name)) return Effect.dieMessage(`${workflow}: ${why}`)
    taken.add(name)
    return checkName(name)
  })

/** Runs a step that moves no money. */
export const named =
  (name: string) =>
  <A, E, R>(step: (run: Run) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R | InExecution> =>
    Effect.flatMap(current, (run) => Effect.zipRight(take(run, name), step(run)))

/** The error of an execution that ends because its cancellation was requested. */
export const cancelled = ({ key, money, workflow }: Run): Execution.ExecutionCancelled =>
  new Execution.ExecutionCancelled({
    workflow,
    businessKey: key,
    outcome: outcomeOf(money),
    resource: money.resource
  })
