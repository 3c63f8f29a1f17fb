/** Metrics of executions, tagged with the workflow. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as store from "./store.js"
import type * as Execution from "../../Execution.js"

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

const tagged = (workflow: string) => {
  const endedHere = Metric.tagged(ended, "workflow", workflow)
  return {
    started: Metric.tagged(started, "workflow", workflow),
    Succeeded: Metric.tagged(endedHere, "state", "Succeeded"),
    Failed: Metric.tagged(endedHere, "state", "Failed"),
    Died: Metric.tagged(endedHere, "state", "Died")
  }
}

/** To tag a counter costs more than to update it. */
const counters = new Map<string, ReturnType<typeof tagged>>()
const countersOf = (workflow: string) => {
  const known = counters.get(workflow) ?? tagged(workflow)
  counters.set(workflow, known)
  return known
}

export const onStart = (workflow: string) => Metric.update(countersOf(workflow).started, 1)

export const onEnd = (workflow: string, state: Execution.EndState) =>
  Metric.update(countersOf(workflow)[state], 1)

export const setOpen = (workflow: string, open: store.Open | undefined, nowMillis: number) => {
  const set = (gauge: typeof running, value: number) =>
    Metric.set(Metric.tagged(gauge, "workflow", workflow), value)
  const ageMillis = nowMillis - (open?.oldestMillis ?? nowMillis)
  return Effect.all(
    [
      set(running, open?.running ?? 0),
      set(waiting, open?.waiting ?? 0),
      set(oldest, ageMillis / 1000)
    ],
    { discard: true }
  )
}
