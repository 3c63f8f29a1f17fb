/**
 * A shop as an `HttpApi` with one endpoint, which collects the payment of an order.
 */
import {
  HttpApi,
  HttpApiBuilder,
  HttpApiEndpoint,
  HttpApiError,
  HttpApiGroup,
  HttpApp,
  HttpServerResponse
} from "@effect/platform"
import { Errors, IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Cause, Effect, Exit, Layer, Option, Schema } from "effect"
import { Answer, answerTo, OrderConflict } from "./Answers.js"
import type { PaymentError } from "./Answers.js"

const Paid = Schema.Struct({ paid: Schema.Boolean, message: Schema.String })

export const api = HttpApi.make("Shop").add(
  HttpApiGroup.make("orders").add(
    HttpApiEndpoint.post("pay", "/orders/:order/payment")
      .setPath(Schema.Struct({ order: Schema.String }))
      .setPayload(Schema.Struct({ phone: Schema.String }))
      .addSuccess(Paid)
      .addError(HttpApiError.NotFound)
      .addError(Answer)
  )
)

/** The amount of each order comes from the shop, never from the browser. */
export type Orders = ReadonlyMap<string, string>

/** Messages of Manilla are for operators. They contain no secrets and no phone numbers. */
const log = (order: string, error: PaymentError) =>
  Effect.logWarning(error.message).pipe(
    Effect.annotateLogs({ order, error: error._tag, outcome: Errors.outcome(error) })
  )

/** Also false if the buyer disconnected: the payment may have started. */
const wasNotApplied = (exit: Exit.Exit<unknown, PaymentError>) =>
  Exit.isFailure(exit) &&
  Option.exists(Cause.failureOption(exit.cause), (error) => Errors.outcome(error) === "notApplied")

const setRetryAfter = (seconds: number) =>
  HttpApp.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(seconds)))
  )

export const layer = (orders: Orders) =>
  HttpApiBuilder.api(api).pipe(
    Layer.provide(
      HttpApiBuilder.group(api, "orders", (handlers) =>
        Effect.gen(function* () {
          const payments = yield* Payments.Payments
          // The requests that were or may have been applied. A real shop stores them with its orders.
          const started = new Map<string, Payments.CollectRequest>()

          const collect = (order: string, request: Payments.CollectRequest) =>
            payments
              .collect(request, {
                // A browser that repeats its request cannot pay twice.
                key: IdempotencyKey.derive("order", order),
                // The browser waits for the answer: a shorter time than for a program.
                timeout: "10 seconds",
                retry: { attempts: 3 },
                wait: { deadline: "3 seconds", initial: "500 millis" }
              })
              .pipe(
                Effect.tapError((error) => log(order, error)),
                Effect.onExit((exit) =>
                  Effect.sync(() => {
                    if (!wasNotApplied(exit)) started.set(order, request)
                  })
                ),
                Effect.mapError(answerTo),
                Effect.tapErrorTag("TryAgainLater", (it) => setRetryAfter(it.retryAfterSeconds))
              )

          return handlers.handle("pay", ({ path: { order }, payload: { phone } }) =>
            Effect.gen(function* () {
              const amount = orders.get(order)
              if (amount === undefined) return yield* new HttpApiError.NotFound()
              // A key belongs to one request: repeat that one, even if the browser sends another phone.
              const first = started.get(order)
              if (first !== undefined && first.amount !== amount) {
                return yield* new OrderConflict({
                  message: "The order changed after its payment started. Please contact us."
                })
              }
              const { status } = yield* collect(
                order,
                first ?? {
                  country: "BJ",
                  amount,
                  currency: "XOF",
                  payment_method: "mtn_momo",
                  payer: { phone_number: phone }
                }
              )
              return status === "COMPLETED"
                ? { paid: true, message: "Thank you for your payment." }
                : { paid: false, message: "The payment was not completed. Please contact us." }
            })
          )
        })
      )
    )
  )
