/**
 * The worker: sends what is stored, and reads what is pending, until each attempt is paid, unpaid or for a
 * person. After a crash it continues with what the store says, at the latest when the lease of the dead process
 * ends.
 */
import { type PaymentIntent, Payments } from "@manilla/payments"
import { Clock, Context, Effect, FiberSet, Layer } from "effect"
import * as Attempt from "./Attempt.js"
import { Orders, type StoreError } from "./Orders.js"

/** How many attempts are worked on at the same time. */
const most = 64

/** How long a call to the service takes at most, with its retries, in milliseconds. */
const timeout = 20_000
/** For how long an attempt is taken: longer than a call. If this process dies, it waits for the rest of it. */
const lease = 30_000

/** Sends the request: for the first time, or again after an unknown outcome. */
const send = (attempt: Attempt.Attempt) =>
  Effect.flatMap(Payments.Payments, (payments) =>
    payments.create(attempt.request, { key: attempt.key, timeout })
  ).pipe(
    Effect.tapError((error) => Effect.logWarning(error.message)),
    Effect.match({
      onFailure: (error) => Attempt.afterError(attempt, error),
      onSuccess: Attempt.afterCreation
    })
  )

/** Reads the payment, once: the worker itself reads again later. A failed read says nothing about the payment. */
const read = (
  attempt: Attempt.Attempt,
  id: PaymentIntent.PaymentIntentId,
  unpaid: Attempt.UnpaidStatuses
) =>
  Effect.flatMap(Payments.Payments, (payments) =>
    payments.get(id, { timeout, retry: { attempts: 1 } })
  ).pipe(
    Effect.map((payment) => Attempt.afterRead(attempt, payment, unpaid)),
    Effect.catchAll((error) => Effect.as(Effect.logWarning(error.message), attempt))
  )

/** One step of a claimed attempt: one request to the service, and its meaning. */
export const step = (attempt: Attempt.Attempt, unpaid: Attempt.UnpaidStatuses) =>
  Effect.gen(function* () {
    const orders = yield* Orders
    const { payment_id: id } = attempt
    const start = yield* Clock.currentTimeMillis
    // Another process may take the attempt when its lease ends. So a call that could last longer does not start.
    if (start + timeout > attempt.due_at) return
    const isTooOld = Attempt.isTooOld(attempt, start)
    // A late request could pay again, but a read changes nothing.
    const result: Attempt.Change =
      id !== null ? yield* read(attempt, id, unpaid) : isTooOld ? attempt : yield* send(attempt)
    const isOver = isTooOld && Attempt.open.includes(result.state)
    const change = isOver ? Attempt.tooOld(result) : result
    const now = yield* Clock.currentTimeMillis
    // A new payment is read at once.
    const pause = change.payment_id === id ? Attempt.pauseOf(attempt, now) : 0
    yield* orders.settle(attempt, change, now + pause)
    if (change.state === "Review") yield* Effect.logError(`A person decides: ${change.note}`)
  }).pipe(Effect.annotateLogs({ order: attempt.order_id, attempt: attempt.number }))

export class Worker extends Context.Tag("shop/Worker")<
  Worker,
  {
    /** Looks for work now, and not at the next second. */
    readonly wake: Effect.Effect<void>
  }
>() {}

/** Works until its scope closes. */
export const layer = (
  unpaid: Attempt.UnpaidStatuses
): Layer.Layer<Worker, StoreError, Orders | Payments.Payments> =>
  Layer.scoped(
    Worker,
    Effect.gen(function* () {
      const orders = yield* Orders
      const news = yield* Effect.makeLatch()
      const running = yield* FiberSet.make()
      const logged = <R>(effect: Effect.Effect<void, StoreError, R>) =>
        Effect.catchAll(effect, ({ cause }) => Effect.logError("The store failed", cause))

      const turn = Effect.gen(function* () {
        yield* news.close
        const claimed = yield* orders.claim(most - (yield* FiberSet.size(running)), lease)
        for (const attempt of claimed) {
          yield* FiberSet.run(running, logged(step(attempt, unpaid)))
        }
      })

      yield* logged(turn).pipe(
        Effect.andThen(Effect.timeoutOption(news.await, "1 second")),
        Effect.forever,
        Effect.forkScoped
      )
      return { wake: Effect.asVoid(news.open) }
    })
  )
