/** Metrics of executions, tagged with the workflow. */
import type * as Workflow from "@effect/workflow/Workflow"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { memoize } from "../Encoding.js"
import type * as Execution from "../Execution.js"
import type * as Store from "../Store.js"

const started = Metric.counter("manilla_executions_started", {
  description: "Executions that were started, by workflow",
  incremental: true
})
const ended = Metric.counter("manilla_executions_ended", {
  description: "Executions that ended, by workflow and state",
  incremental: true
})
const running = Metric.gauge("manilla_executions_running", {
  description: "Executions that are in a step, by workflow"
})
const waiting = Metric.gauge("manilla_executions_waiting", {
  description: "Executions that are in a durable pause, by workflow"
})
const oldest = Metric.gauge("manilla_executions_oldest_seconds", {
  description: "The age of the oldest execution that has not ended, in seconds, by workflow"
})

/** To tag a metric costs more than to update it. */
const metricsOf = memoize(({ name }: Workflow.Any) => {
  const endedHere = Metric.tagged(ended, "workflow", name)
  return {
    started: Metric.tagged(started, "workflow", name),
    Succeeded: Metric.tagged(endedHere, "state", "Succeeded"),
    Failed: Metric.tagged(endedHere, "state", "Failed"),
    Died: Metric.tagged(endedHere, "state", "Died"),
    running: Metric.tagged(running, "workflow", name),
    waiting: Metric.tagged(waiting, "workflow", name),
    oldest: Metric.tagged(oldest, "workflow", name)
  }
})

export const onStart = (workflow: Workflow.Any) => Metric.update(metricsOf(workflow).started, 1)

export const onEnd = (workflow: Workflow.Any, state: Execution.EndState) =>
  Metric.update(metricsOf(workflow)[state], 1)

export const setOpen = (workflow: Workflow.Any, open: Store.Open | undefined, nowMillis: number) =>
  Effect.gen(function* () {
    const { oldest, running, waiting } = metricsOf(workflow)
    yield* Metric.set(running, open?.running ?? 0)
    yield* Metric.set(waiting, open?.waiting ?? 0)
    yield* Metric.set(oldest, (nowMillis - (open?.oldestMillis ?? nowMillis)) / 1_000)
  })
