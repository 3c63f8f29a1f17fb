/**
 * Faults, and their form as JSON.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ControlApi from "../../ControlApi.js"
import * as Fault from "../../Fault.js"
import * as Outcome from "../../Outcome.js"
import * as use from "./use.js"

export const faults = HttpApiBuilder.group(ControlApi.api, "Faults", (handlers) =>
  handlers
    .handle("list", () =>
      use.sandbox(({ faults }) => Effect.map(faults.pending, (all) => all.map(toPending)))
    )
    .handle("add", ({ payload }) =>
      use.sandbox(({ faults }) =>
        Effect.gen(function* () {
          if ((yield* faults.pending).length >= ControlApi.maxFaults) return yield* tooMany
          return toPending(yield* faults.register(toFault(payload)))
        })
      )
    )
    .handle("outcomes", () =>
      Effect.succeed(
        Outcome.outcomes.map((one) => ({
          name: one.name,
          summary: one.summary,
          operations: one.operations ?? null,
          phone_number: Outcome.phoneNumber(one),
          amount: Outcome.amount(one),
          once_per_key: one.effect._tag === "Wire" && one.effect.once
        }))
      )
    )
    .handle("remove", ({ path }) =>
      use.sandbox(({ faults }) =>
        Effect.flatMap(faults.remove(path.id), (wasPending) =>
          wasPending ? Effect.void : use.notFound("path.id", "must be the id of a pending fault")
        )
      )
    )
)

const tooMany = use.invalid("TOO_MANY_FAULTS", "Too many faults are pending.", [
  { field: "request", rule: `must not add to ${ControlApi.maxFaults} pending faults` }
])

const toFault = (rule: ControlApi.FaultRule): Fault.Fault => {
  const { count, match = {}, probability, seed } = rule
  const target = { ...match, times: count === "always" ? Infinity : count, probability, seed }
  switch (rule.fault) {
    case "drop_before":
      return Fault.dropBefore(target)
    case "drop_after":
      return Fault.dropAfter(target)
    case "delay":
      return Fault.delay(Duration.millis(rule.milliseconds), target)
    case "status": {
      const { body, content_type, processed, retry_after, status } = rule
      return Fault.status(status, {
        ...target,
        retryAfter: retry_after,
        body,
        contentType: content_type,
        processed
      })
    }
    case "body":
      return Fault.body(rule.body, { ...target, contentType: rule.content_type })
    case "outcome":
      return Fault.outcome(rule.outcome, target)
  }
}

const toPending = ({ fault, id, remaining }: Fault.Pending): ControlApi.PendingFault => ({
  id,
  remaining: countOf(remaining),
  rule: toRule(fault)
})

const countOf = (times: number): ControlApi.PendingFault["remaining"] =>
  Number.isFinite(times) ? times : "always"

const toRule = (fault: Fault.Fault): ControlApi.FaultRule => {
  const { field, header, operation, probability, seed, times = 1 } = fault
  const target = {
    match: { operation, header, field },
    count: countOf(times),
    probability,
    seed
  }
  switch (fault._tag) {
    case "Drop":
      return { fault: `drop_${fault.when}`, ...target }
    case "Outcome":
      return { fault: "outcome", outcome: fault.outcome, ...target }
    case "Delay":
      return { fault: "delay", milliseconds: Duration.toMillis(fault.duration), ...target }
    case "Answer": {
      const content_type = fault.contentType
      const body = typeof fault.body === "string" ? fault.body : decoded(fault.body)
      return fault.status === undefined
        ? { fault: "body", body: body ?? "", content_type, ...target }
        : {
            fault: "status",
            status: fault.status,
            retry_after: fault.retryAfter,
            body,
            content_type,
            processed: fault.processed,
            ...target
          }
    }
  }
}

const decoded = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && new TextDecoder().decode(bytes)
