/**
 * The engine in memory, for tests and for programs that need no durability: executions end with the
 * process. The same workflows continue after a crash on `@manilla/workflows/sqlite`.
 *
 * @since 0.1.0
 */
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Batches } from "./Batch.js"
import * as Engine from "./Engine.js"
import type * as store from "./internal/store.js"
import { toStatus } from "./Execution.js"
import * as memoryTable from "./internal/batch/memoryTable.js"
import * as recordedEngine from "./internal/recordedEngine.js"
import type * as Execution from "./Execution.js"

/**
 * Makes an empty store of executions in memory.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<store.Store> = Effect.sync(() => {
  const executions = new Map<string, Execution.Execution>()
  const all = () => [...executions.values()]

  return {
    insert: (execution) =>
      Effect.sync(() => {
        const stored = executions.get(execution.executionId)
        if (stored !== undefined) return { stored, isNew: false }
        executions.set(execution.executionId, execution)
        return { stored: execution, isNew: true }
      }),
    find: ({ businessKey, workflow }) =>
      Effect.sync(() =>
        Arr.findFirst(
          all(),
          (execution) => execution.workflow === workflow && execution.businessKey === businessKey
        )
      ),
    read: (executionId) => Effect.sync(() => Option.fromNullable(executions.get(executionId))),
    findAll: (workflow, businessKeys) =>
      Effect.sync(() => {
        const wanted = new Set(businessKeys)
        return all().filter(
          (execution) => execution.workflow === workflow && wanted.has(execution.businessKey)
        )
      }),
    list: (filter, after, limit) =>
      Effect.sync(() =>
        all()
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
    modify: (executionId, change) =>
      Effect.sync(() => {
        const stored = executions.get(executionId)
        if (stored === undefined) return Option.none()
        const [result, changed] = change(stored)
        executions.set(executionId, changed)
        return Option.some(result)
      }),
    overdue: (workflow, beforeMillis, limit) =>
      Effect.sync(() =>
        all()
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
    history: () => Effect.succeed({ steps: [], exit: undefined }),
    // It has no messages: `resume` runs an execution again at once.
    nudge: () => Effect.void
  }
})

const isSelected = (
  execution: Execution.Execution,
  { businessKey, endedBeforeMillis, isPurged, startedBeforeMillis, states, workflow }: store.Filter
): boolean =>
  (workflow === undefined || execution.workflow === workflow) &&
  (businessKey === undefined || execution.businessKey === businessKey) &&
  (states === undefined || states.includes(toStatus(execution).state)) &&
  (startedBeforeMillis === undefined || execution.startedMillis < startedBeforeMillis) &&
  (endedBeforeMillis === undefined ||
    (execution.end !== undefined && execution.end.atMillis < endedBeforeMillis)) &&
  (isPurged === undefined || execution.isPurged === isPurged)

/** The order of a list: by start, then by name. */
const isBefore = (a: store.Cursor, b: store.Cursor): boolean =>
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
  recordedEngine
    .layer(WorkflowEngine.layerMemory)
    .pipe(
      Layer.provideMerge(Layer.effect(Engine.Engine, make)),
      Layer.merge(Layer.effect(Batches, memoryTable.make))
    )
