import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Effect from "effect/Effect"
import * as Execution from "../Execution.js"
import * as Policy from "../Policy.js"
import * as activityJournal from "./activityJournal.js"
import type { InExecution, Journal, Run } from "./journal.js"

type Instance = WorkflowEngine.WorkflowInstance["Type"]
type Engine = WorkflowEngine.WorkflowEngine["Type"]

/** The journals of our own engines. Other engines have activities only. */
type MakeJournal = Effect.Effect<Journal, never, WorkflowEngine.WorkflowInstance>
const journals = new WeakMap<Engine, MakeJournal>()

/** Gives an engine a journal. */
export const withJournal = (engine: Engine, journal: MakeJournal): Engine => {
  journals.set(engine, journal)
  return engine
}

const runs = new WeakMap<Instance, Run>()

/** The run of a body. Undefined if it has used no block. */
export const of = (instance: Instance): Run | undefined => runs.get(instance)

/** The run that a block belongs to. */
export const current: Effect.Effect<Run, never, InExecution> = Effect.gen(function* () {
  const instance = yield* WorkflowEngine.WorkflowInstance
  const known = runs.get(instance)
  if (known !== undefined) return known
  const journal = journals.get(yield* WorkflowEngine.WorkflowEngine) ?? activityJournal.make
  const run: Run = {
    workflow: instance.workflow.name,
    policy: yield* Policy.Current,
    journal: yield* journal,
    taken: new Set(),
    money: { isUnknown: false, isApplied: false, isInDoubt: false, resource: undefined },
    isCompensating: false
  }
  runs.set(instance, run)
  return run
})

/** Takes the name of a step. */
export const take = ({ taken, workflow }: Run, name: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (taken.has(name)) {
      return Effect.dieMessage(
        `${workflow}: two steps have the name "${name}". The second would read the result of the first.`
      )
    }
    taken.add(name)
    return Effect.void
  })

/** Runs a step that moves no money. */
export const named =
  (name: string) =>
  <A, E, R>(step: (run: Run) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R | InExecution> =>
    Effect.flatMap(current, (run) => Effect.zipRight(take(run, name), step(run)))

/** Whether a block ends the execution, because it is to be cancelled. */
export const isCancelled = ({ isCompensating, journal }: Run, pause?: string) =>
  isCompensating ? Effect.succeed(false) : journal.isCancelled(pause)

/** The error of an execution that ends because its cancellation was requested. */
export const cancelled = ({ journal, money, workflow }: Run): Execution.ExecutionCancelled =>
  new Execution.ExecutionCancelled({
    workflow,
    businessKey: journal.key,
    outcome: money.isUnknown ? "unknown" : money.isApplied ? "applied" : "notApplied",
    resource: money.resource
  })
