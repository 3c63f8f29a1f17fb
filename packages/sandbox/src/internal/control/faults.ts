/**
 * Faults and outcomes.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as ControlApi from "../../ControlApi.js"
import * as Outcome from "../../Outcome.js"
import * as use from "./use.js"

export const faults = HttpApiBuilder.group(ControlApi.api, "Faults", (handlers) =>
  handlers
    .handle("list", () =>
      use.sandbox(({ faults }) => faults.pending)
    )
    .handle("add", ({ payload }) =>
      use.sandbox(({ faults }) =>
        Effect.gen(function* () {
          if ((yield* faults.pending).length >= ControlApi.maxFaults) return yield* tooMany
          return yield* faults.add(payload)
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
          once_per_key: Outcome.isOncePerKey(one)
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
