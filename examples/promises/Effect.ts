import { IdempotencyKey, type Payments, type Promises } from "@manilla/promises"
import * as Effect from "effect/Effect"

/** A call of Manilla as an effect, with the errors of exactly that call. An interruption aborts it. */
export const call = <A, E>(
  send: (options: { readonly signal: AbortSignal }) => Promise<Promises.Result<A, E>>
): Effect.Effect<A, E> =>
  Effect.flatMap(
    Effect.promise((signal) => send({ signal })),
    (result): Effect.Effect<A, E> =>
      result.ok ? Effect.succeed(result.value) : Effect.fail(result.error)
  )

export const collect = (
  { payments }: Promises.Promises,
  order: string,
  request: Payments.CollectRequest
) =>
  call((options) =>
    payments.collect(request, { key: IdempotencyKey.derive("order", order), ...options })
  ).pipe(
    Effect.catchTag("PaymentStillPending", ({ id }) => Effect.succeed({ id, status: "PENDING" }))
  )
