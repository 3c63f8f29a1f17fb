/**
 * The engine in memory, for tests and for programs that need no durability: executions end with the
 * process. The same workflows continue after a crash on `@manilla/workflows/sqlite`.
 *
 * @since 0.1.0
 */
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Batches } from "./Batch.js"
import * as Engine from "./Engine.js"
import { toStatus } from "./Execution.js"
import * as memoryTable from "./internal/batch/memoryTable.js"
import * as register from "./internal/register.js"
import type * as Execution from "./Execution.js"

/**
 * Makes an empty store of executions in memory.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Engine.Service> = Effect.sync(() => {
  const executions = new Map<string, Execution.Execution>()
  const keyOf = ({ businessKey, workflow }: Engine.Name) => JSON.stringify([workflow, businessKey])

  return {
    register: register.make(),
    insert: (execution) =>
      Effect.sync(() => {
        const key = keyOf(execution)
        const stored = executions.get(key)
        if (stored !== undefined) return { stored, isNew: false }
        executions.set(key, execution)
        return { stored: execution, isNew: true }
      }),
    find: (name) => Effect.sync(() => Option.fromNullable(executions.get(keyOf(name)))),
    findAll: (workflow, businessKeys) =>
      Effect.sync(() =>
        businessKeys.flatMap((businessKey) => {
          const stored = executions.get(keyOf({ workflow, businessKey }))
          return stored === undefined ? [] : [stored]
        })
      ),
    list: (filter, after, limit) =>
      Effect.sync(() =>
        [...executions.values()]
          .filter(
            (execution) =>
              isSelected(execution, filter) && (after === undefined || isBefore(after, execution))
          )
          .sort((a, b) => (isBefore(a, b) ? -1 : 1))
          .slice(0, limit)
      ),
    open: (workflow) =>
      Effect.sync(() => {
        const open = [...executions.values()].filter(
          (execution) => execution.workflow === workflow && execution.end === undefined
        )
        const waiting = open.filter(({ pause }) => pause !== undefined).length
        return {
          running: open.length - waiting,
          waiting,
          oldestMillis:
            open.length === 0
              ? undefined
              : open.reduce(
                  (oldest, { startedMillis }) => Math.min(oldest, startedMillis),
                  Infinity
                )
        }
      }),
    modify: (name, change) =>
      Effect.sync(() => {
        const stored = executions.get(keyOf(name))
        if (stored === undefined) return Option.none()
        const [result, changed] = change(stored)
        executions.set(keyOf(name), changed)
        return Option.some(result)
      }),
    overdue: (workflow, beforeMillis, limit) =>
      Effect.sync(() =>
        [...executions.values()]
          .filter(
            (execution) =>
              execution.workflow === workflow &&
              execution.end === undefined &&
              execution.dueMillis < beforeMillis
          )
          .sort((a, b) => a.dueMillis - b.dueMillis)
          .slice(0, limit)
      ),
    // The engine in memory keeps its executions until it ends.
    forget: () => Effect.succeed(true),
    // It has no messages: `resume` runs an execution again at once.
    nudge: () => Effect.void
  }
})

const isSelected = (
  execution: Execution.Execution,
  { endedBeforeMillis, isPurged, startedBeforeMillis, states, workflow }: Engine.Filter
): boolean =>
  (workflow === undefined || execution.workflow === workflow) &&
  (states === undefined || states.includes(toStatus(execution).state)) &&
  (startedBeforeMillis === undefined || execution.startedMillis < startedBeforeMillis) &&
  (endedBeforeMillis === undefined ||
    (execution.end !== undefined && execution.end.atMillis < endedBeforeMillis)) &&
  (isPurged === undefined || execution.isPurged === isPurged)

/** The order of a list: by start, then by name. */
const isBefore = (a: Engine.Cursor, b: Engine.Cursor): boolean =>
  a.startedMillis !== b.startedMillis
    ? a.startedMillis < b.startedMillis
    : a.workflow !== b.workflow
      ? a.workflow < b.workflow
      : a.businessKey < b.businessKey

/**
 * A layer that provides an engine in memory. Its executions end with the process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<Engine.Engine | Batches | WorkflowEngine.WorkflowEngine> =
  Layer.mergeAll(
    Layer.effect(Engine.Engine, make),
    Layer.effect(Batches, memoryTable.make),
    WorkflowEngine.layerMemory
  )
