/**
 * A shop as an `HttpApi`, whose payments are durable workflows on SQLite.
 */
import {
  HttpApi,
  HttpApiBuilder,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiSchema
} from "@effect/platform"
import { Errors, IdempotencyKey } from "@manilla/core"
import { Operator } from "@manilla/workflow-engine"
import { CollectPayment } from "@manilla/workflows"
import { Cause, Effect, Exit, Layer, Option, Schema } from "effect"
import { messages, requestOf, wrongIn, type State } from "../checkout/order.js"

class WrongField extends Schema.TaggedError<WrongField>()(
  "WrongField",
  { field: Schema.String, message: Schema.String },
  HttpApiSchema.annotations({ status: 422 })
) {}

class NoSuchOrder extends Schema.TaggedError<NoSuchOrder>()(
  "NoSuchOrder",
  { message: Schema.String },
  HttpApiSchema.annotations({ status: 404 })
) {}

const Seen = Schema.Struct({ order: Schema.String, state: Schema.String, message: Schema.String })
const path = Schema.Struct({ id: Schema.String })

export const api = HttpApi.make("Shop").add(
  HttpApiGroup.make("orders")
    .add(
      HttpApiEndpoint.post("pay", "/orders/:id")
        .setPath(path)
        .setPayload(Schema.Struct({ phone: Schema.String, amount: Schema.String }))
        .addSuccess(Seen, { status: 202 })
        .addError(WrongField)
    )
    .add(
      HttpApiEndpoint.get("look", "/orders/:id")
        .setPath(path)
        .addSuccess(Seen)
        .addError(NoSuchOrder)
    )
)

type End = Exit.Exit<
  typeof CollectPayment.workflow.successSchema.Type,
  typeof CollectPayment.workflow.errorSchema.Type
>

/** A workflow that has ended may not have paid. */
const stateOf = (end: End): State => {
  if (Exit.isSuccess(end)) return end.value.status === "COMPLETED" ? "paid" : "review"
  const error = Option.getOrUndefined(Cause.failureOption(end.cause))
  const isUnpaid =
    error !== undefined &&
    error._tag !== "PaymentStillPending" &&
    Errors.outcome(error) === "notApplied"
  return isUnpaid ? "not paid" : "review"
}

const keyOf = (order: string) => IdempotencyKey.derive("order", order)

const group = HttpApiBuilder.group(api, "orders", (handlers) =>
  Effect.gen(function* () {
    const collections = yield* Operator.of(CollectPayment.workflow)

    const look = (order: string) =>
      collections.poll(keyOf(order)).pipe(
        Effect.map(Option.match({ onNone: () => "open" as const, onSome: stateOf })),
        Effect.map((state) => ({ order, state, message: messages[state] }))
      )

    return handlers
      .handle("pay", ({ path: { id }, payload }) =>
        Effect.gen(function* () {
          const form = { ...payload, order: id }
          const wrong = wrongIn(form)
          if (wrong !== undefined) return yield* new WrongField(wrong)
          const { operation: _, ...request } = requestOf(form)
          yield* collections.start({ key: keyOf(id), ...request }).pipe(
            // A form that is sent twice starts one workflow. If it has changed, the first one stays.
            Effect.catchTag("PayloadMismatch", () => Effect.void),
            Effect.orDie
          )
          return yield* Effect.orDie(look(id))
        })
      )
      .handle("look", ({ path: { id } }) =>
        look(id).pipe(
          Effect.catchTag(
            "ExecutionNotFound",
            () => new NoSuchOrder({ message: "No such order." })
          ),
          Effect.catchIf((error) => error._tag !== "NoSuchOrder", Effect.die)
        )
      )
  })
)

/** Serve it. It needs an engine and the client of the service. */
export const layer = HttpApiBuilder.api(api).pipe(
  Layer.provide(group),
  Layer.provide(CollectPayment.layer)
)
