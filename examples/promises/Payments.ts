/**
 * A function that returns a promise, for code that does not use Effect.
 */
import { IdempotencyKey } from "@manilla/core"
import * as UndiciClient from "@manilla/core/UndiciClient"
import { Payments } from "@manilla/payments"
import { Manilla } from "@manilla/token"
import { Effect, Layer, ManagedRuntime } from "effect"

/** One for the whole process: its calls share the token, the connections and the retry budget. */
export const runtime = ManagedRuntime.make(
  Payments.layer.pipe(Layer.provide(Manilla.layerConfig()), Layer.provide(UndiciClient.layer))
)

/** Resolves to a `Right` with the payment, or to a `Left` with the error of `collect`. */
export const collect = (order: string, request: Payments.CollectRequest) =>
  runtime.runPromise(
    Payments.Payments.pipe(
      Effect.flatMap((payments) =>
        payments.collect(request, { key: IdempotencyKey.derive("order", order) })
      ),
      Effect.either
    )
  )
