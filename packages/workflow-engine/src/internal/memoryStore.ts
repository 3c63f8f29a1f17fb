import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Execution from "../Execution.js"
import type * as Store from "../Store.js"
import type * as engineStore from "./engineStore.js"
import * as memoryBatches from "./memoryBatches.js"
import * as transitions from "./transitions.js"

/** An empty store in memory. */
export const make: Effect.Effect<engineStore.EngineStore> = Effect.map(
  memoryBatches.make,
  (batches) => {
    const executions = new Map<string, Execution.Execution>()
    /** The ids of the first executions with a name. */
    const ids = new Map<string, string>()
    const steps = new Map<string, Map<string, Store.Step>>()
    const runners = new Set<number>()
    let joined = 0

    const select = (fits: (execution: Execution.Execution) => boolean) =>
      [...executions.values()].filter(fits)

    /** Frees what runners own that are gone, and returns what has ended. */
    const free = (change: engineStore.Change) => {
      const [open, ended] = Arr.partition(
        select(({ runner }) => runner !== undefined && !runners.has(runner)),
        ({ end }) => end !== undefined
      )
      for (const execution of open) executions.set(execution.executionId, change(execution))
      return ended.map(({ executionId }) => executionId)
    }

    const addStep = (executionId: string, step: Store.Step): Store.Step => {
      const known = steps.get(executionId) ?? new Map<string, Store.Step>()
      steps.set(executionId, known)
      const first = known.get(step.name) ?? step
      known.set(step.name, first)
      return first
    }

    return {
      insert: (execution) =>
        Effect.sync(() => {
          const earlier = executions.get(execution.executionId)
          if (earlier !== undefined) return Option.some(earlier)
          executions.set(execution.executionId, execution)
          const name = nameOf(execution)
          if (!ids.has(name)) ids.set(name, execution.executionId)
          return Option.none()
        }),
      find: (name) =>
        Effect.sync(() => Option.fromNullable(executions.get(ids.get(nameOf(name)) ?? ""))),
      read: (executionId) => Effect.sync(() => Option.fromNullable(executions.get(executionId))),
      list: (filter, after, limit) =>
        Effect.sync(() => {
          const order = filter.isNewestFirst ? Order.reverse(byStart) : byStart
          return select(
            (one) => isSelected(one, filter) && (after === undefined || order(after, one) < 0)
          )
            .sort(order)
            .slice(0, limit)
        }),
      open: Effect.sync(() => {
        const open = new Map<string, Store.Open>()
        for (const { pause, startedMillis, workflow } of select(({ end }) => end === undefined)) {
          const known = open.get(workflow)
          const isWaiting = pause !== undefined
          open.set(workflow, {
            running: (known?.running ?? 0) + (isWaiting ? 0 : 1),
            waiting: (known?.waiting ?? 0) + (isWaiting ? 1 : 0),
            oldestMillis: Math.min(known?.oldestMillis ?? Infinity, startedMillis)
          })
        }
        return open
      }),
      modify: (executionId, change, runner) =>
        Effect.sync(() => {
          const stored = executions.get(executionId)
          if (stored === undefined) return Option.none()
          if (runner !== undefined && stored.runner !== runner) return Option.none()
          const changed = change(stored)
          executions.set(executionId, changed)
          return Option.some(changed)
        }),
      wake: (executionId) =>
        Effect.sync(() => {
          const stored = executions.get(executionId)
          if (stored !== undefined) executions.set(executionId, transitions.woken(stored))
        }),
      take: (runner, workflows, nowMillis, limit) =>
        Effect.sync(() => {
          const waiting = select(
            (one) => transitions.isFree(one, Infinity) && workflows.includes(one.workflow)
          )
          const taken = waiting
            .filter((one) => runners.has(runner) && transitions.isFree(one, nowMillis))
            .sort((a, b) => a.dueMillis - b.dueMillis)
            .slice(0, limit)
            .map((one) => transitions.taken(one, runner))
          for (const one of taken) executions.set(one.executionId, one)
          const nextMillis = waiting.reduce(
            (next, { dueMillis }) => (dueMillis > nowMillis ? Math.min(next, dueMillis) : next),
            Infinity
          )
          return { taken, nextMillis }
        }),
      owned: (runner) =>
        Effect.sync(() =>
          select((one) => one.runner === runner).map(({ executionId }) => executionId)
        ),
      steps: (executionId) => Effect.sync(() => [...(steps.get(executionId)?.values() ?? [])]),
      storeStep: (executionId, runner, step) =>
        Effect.sync(() => {
          const execution = executions.get(executionId)
          if (execution?.runner !== runner) return Option.none()
          const { exit } = addStep(executionId, step)
          return Option.some({ exit, isCancelRequested: execution.isCancelRequested })
        }),
      signal: (executionId, step) =>
        Effect.sync(() => {
          if (executions.get(executionId)?.end === undefined) addStep(executionId, step)
        }),
      forgetSignals: (beforeMillis) =>
        Effect.sync(() => {
          for (const [executionId, known] of steps) {
            if (executions.has(executionId)) continue
            for (const { name, storedMillis } of known.values()) {
              if (storedMillis < beforeMillis) known.delete(name)
            }
            if (known.size === 0) steps.delete(executionId)
          }
        }),
      forget: (executionId) => Effect.sync(() => void steps.delete(executionId)),
      runners: {
        now: Clock.currentTimeMillis,
        join: Effect.sync(() => {
          runners.add(++joined)
          return joined
        }),
        beat: (runner) => Effect.sync(() => runners.has(runner)),
        reap: () => Effect.sync(() => free(transitions.died)),
        leave: (runner) =>
          Effect.sync(() => {
            runners.delete(runner)
            free((one) => transitions.freed(transitions.progressed(one)))
          }),
        list: Effect.sync(() =>
          Array.from(runners, (id) => ({ name: `runner ${id}`, silentMillis: 0, isAlive: true }))
        )
      },
      batches
    }
  }
)

const nameOf = ({ businessKey, workflow }: Store.Name) => JSON.stringify([workflow, businessKey])

const isSelected = (
  execution: Execution.Execution,
  {
    businessKey,
    endedBeforeMillis,
    isPurged,
    startedBeforeMillis,
    startedFromMillis,
    states,
    workflow
  }: Store.Filter
): boolean =>
  (workflow === undefined || execution.workflow === workflow) &&
  (businessKey === undefined || execution.businessKey === businessKey) &&
  (states === undefined || states.includes(Execution.toStatus(execution).state)) &&
  (startedFromMillis === undefined || execution.startedMillis >= startedFromMillis) &&
  (startedBeforeMillis === undefined || execution.startedMillis < startedBeforeMillis) &&
  (endedBeforeMillis === undefined ||
    (execution.end !== undefined && execution.end.atMillis < endedBeforeMillis)) &&
  (isPurged === undefined || execution.isPurged === isPurged)

/** The order of a list: by start, then by name, then by id. */
const byStart = Order.combineAll<Store.Cursor>([
  Order.mapInput(Order.number, ({ startedMillis }) => startedMillis),
  Order.mapInput(Order.string, ({ workflow }) => workflow),
  Order.mapInput(Order.string, ({ businessKey }) => businessKey),
  Order.mapInput(Order.string, ({ executionId }) => executionId)
])
