/**
 * Mistakes that people make in a checkout are caught, each with its sentence.
 */
import { assert } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Payments from "@manilla/payments/Payments"
import * as Prove from "@manilla/sandbox/Prove"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { link } from "@manilla/test-support/Sandboxed"
import * as Transactions from "@manilla/transactions/Transactions"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  checkout,
  correct,
  create,
  get,
  key,
  Store,
  told,
  type Order
} from "../test/utils/checkouts.js"

type Failed = Effect.Effect.Error<ReturnType<typeof create>>

/** Starts a payment with a new key, unless there is one. */
const start = (
  order: Order,
  key: Effect.Effect<IdempotencyKey.IdempotencyKey>,
  onError: (error: Failed) => Order["state"]
) =>
  Effect.flatMap(key, (key) => {
    order.key = key
    order.state = "open"
    return create(key)
  }).pipe(
    Effect.map(({ id }) => void (order.payment = id)),
    Effect.catchAll((error) => Effect.sync(() => void (order.state = onError(error))))
  )

const random = IdempotencyKey.random
const isIdle = ({ state }: Order) => state === "new" || state === "not paid"
const derived = Effect.succeed(key)

/** The worker of a checkout whose order is open only while its payment is known. */
const follow =
  (onStatus: (status: string) => Order["state"], onMissing: () => Order["state"] = () => "open") =>
  (order: Order) =>
    order.payment === undefined || order.state !== "open"
      ? Effect.void
      : get(order.payment).pipe(
          Effect.map(({ status }) => void (order.state = onStatus(status))),
          Effect.catchTag("NotFoundError", () =>
            Effect.sync(() => void (order.state = onMissing()))
          ),
          Effect.ignore
        )

/** A worker that is right until there is a payment. */
const withPayment =
  <E, R>(
    read: (order: Order, payment: NonNullable<Order["payment"]>) => Effect.Effect<void, E, R>
  ) =>
  (order: Order) =>
    order.payment === undefined ? correct.worker(order) : read(order, order.payment)

const prove = (parts: Parameters<typeof checkout>[0]) =>
  Prove.everyFault(checkout({ pairs: 20, ...parts }))

/** A proof with another order, which is paid before some of its runs. */
const proveBeside = (
  other: Effect.Effect<unknown, unknown, Payments.Payments>,
  parts: Parameters<typeof checkout>[0]
) => {
  const proof = checkout({ pairs: 0, ...parts })
  return Prove.everyFault({ ...proof, lives: { ...proof.lives, other }, other: ["other"] })
}

const today = Effect.map(Clock.currentTimeMillis, (now) =>
  IdempotencyKey.derive("orders of", new Date(now).toISOString().slice(0, 10))
)

/** A transaction has neither the phone number nor the key of its order. */
const findByAmount = (order: Order) =>
  Effect.gen(function* () {
    const transactions = yield* Transactions.Transactions
    const { data } = yield* transactions.list({ status: "COMPLETED" })
    if (data.some(({ amount }) => Number(amount) === 1500)) order.state = "paid"
  }).pipe(Effect.ignore)

/** The newest payment of a process. */
let newest: Order["payment"]

const remember = <E, R>(made: Effect.Effect<Order["payment"], E, R>) =>
  Effect.map(made, (id) => void (newest = id))

const statusOf = (status: string): Order["state"] =>
  status === "COMPLETED"
    ? "paid"
    : status === "FAILED"
      ? "not paid"
      : status === "PENDING"
        ? "open"
        : "review"

const linkCheckout = {
  store: Layer.sync(Store, (): Order => ({
    state: "new",
    key: undefined,
    payment: undefined,
    presses: 0,
    sends: 0
  })),
  process: Layer.merge(PaymentLinks.layer, Payments.layer),
  lives: {
    handle: Effect.gen(function* () {
      const order = yield* Store
      if (order.state !== "new") return
      const links = yield* PaymentLinks.PaymentLinks
      const sandbox = yield* Sandbox.Sandbox
      const { id } = yield* Effect.retry(links.create({ ...link, max_uses: 1 }), { times: 3 })
      order.state = "open"
      yield* sandbox.payLink({ id, phone_number: "+2290161234567" })
      order.state = "paid"
    })
  },
  script: ["handle"] as const,
  told
}

/** Handler and worker send the request of an order that has no key yet. */
const sendWithNewKey = (order: Order) =>
  order.key !== undefined
    ? Effect.void
    : start(order, Effect.zipLeft(random, Effect.sleep("5 millis")), () => "open")

const mistakes = [
  {
    name: "answers 500 after an unknown outcome",
    rule: 2,
    sentence: /told “not paid”, but the money/,
    proof: prove({
      // A buyer who reads an error pays in another way.
      handle: (order) =>
        Effect.suspend(() => {
          order.state = "open"
          order.key = key
          return create(key)
        }).pipe(
          Effect.match({
            onFailure: () => "not paid",
            onSuccess: ({ id }) => {
              order.payment = id
              return "open"
            }
          })
        )
    })
  },
  {
    name: "makes a new key for each press",
    rule: 1,
    sentence: /Money (moved|may move) .* for one order/,
    proof: prove({
      handle: (order) => start(order, random, () => "open"),
      worker: follow(statusOf)
    })
  },
  {
    name: "takes a timeout for a failure, and offers another try",
    rule: 1,
    sentence: /Money moved twice for one order, by PAY-/,
    proof: prove({
      handle: (order) => (isIdle(order) ? start(order, random, () => "not paid") : Effect.void),
      worker: follow(statusOf)
    })
  },
  {
    name: "closes an order at the first 404",
    rule: 2,
    sentence: /told “not paid”, but the money/,
    proof: prove({
      worker: withPayment(follow(statusOf, () => "not paid"))
    })
  },
  {
    name: "stores the order after the request",
    rule: 1,
    sentence: /Money (moved|may move) twice/,
    proof: prove({
      handle: (order) =>
        order.key !== undefined
          ? Effect.void
          : Effect.gen(function* () {
              const key = yield* IdempotencyKey.random
              const { id } = yield* create(key)
              Object.assign(order, { key, payment: id, state: "open" })
            }),
      worker: follow(statusOf)
    })
  },
  {
    name: "retries a payment link",
    rule: 1,
    sentence: /2 payment links can be paid for one order|Money moved/,
    proof: Prove.everyFault(linkCheckout)
  },
  {
    name: "takes a final status for paid",
    rule: 2,
    sentence: /told “paid”, but the money has not moved/,
    proof: prove({
      worker: withPayment(follow((status) => (status === "PENDING" ? "open" : "paid")))
    })
  },
  {
    name: "derives the key from the time",
    rule: 1,
    sentence: /Money (moved|may move)/,
    proof: prove({
      handle: (order) =>
        isIdle(order) || (order.payment === undefined && order.state === "open")
          ? start(
              order,
              Effect.map(Clock.currentTimeMillis, (now) =>
                IdempotencyKey.derive("order", "42", String(now))
              ),
              () => "open"
            )
          : Effect.void,
      worker: follow(statusOf)
    })
  },
  {
    name: "changes the amount under the same key",
    rule: 4,
    sentence: /was sent with two different requests/,
    proof: prove({
      handle: (order) => {
        if (!isIdle(order) && order.payment !== undefined) return Effect.void
        order.state = "open"
        return create(key, String(1500 + order.presses++)).pipe(
          Effect.map(({ id }) => void (order.payment = id)),
          Effect.catchAll((error) =>
            Effect.sync(() => {
              if (Errors.outcome(error) === "notApplied" && order.presses === 1)
                order.state = "not paid"
            })
          )
        )
      },
      worker: follow(statusOf)
    })
  },
  {
    name: "says paid when the payment was created",
    rule: 2,
    sentence: /told “paid”, but the money is not final yet/,
    proof: prove({
      told: ({ payment, state }) =>
        payment !== undefined ? "paid" : state === "new" ? "open" : state
    })
  },
  {
    name: "takes a refusal after a lost response for the outcome",
    rule: 2,
    sentence: /told “not paid”, but the money/,
    proof: prove({
      handle: (order) =>
        order.payment === undefined && order.state !== "paid" && order.state !== "review"
          ? start(order, derived, (error) =>
              Errors.outcome(error) === "notApplied" ? "not paid" : "open"
            )
          : Effect.void,
      worker: follow(statusOf)
    })
  },
  {
    name: "takes a conflict for a payment that was made before",
    rule: 2,
    sentence: /told “paid”, but the money has not moved/,
    proof: prove({
      handle: (order) =>
        order.state === "new"
          ? start(order, derived, ({ cause }) =>
              cause instanceof Errors.ConflictError ? "paid" : "open"
            )
          : Effect.void
    })
  },
  {
    name: "gives all orders of a day one key",
    rule: 4,
    sentence: /was sent for two orders/,
    proof: proveBeside(Effect.flatMap(today, create), {
      handle: (order) =>
        isIdle(order) || order.payment === undefined
          ? start(order, today, () => "open")
          : Effect.void,
      worker: follow(statusOf)
    })
  },
  {
    name: "finds its payment by the amount",
    rule: 2,
    sentence: /told “paid”, but the money/,
    proof: proveBeside(Effect.flatMap(random, create), {
      worker: withPayment(findByAmount)
    })
  },
  {
    name: "keeps the newest payment in a variable",
    rule: 2,
    sentence: /told “paid”, but the money has not moved/,
    proof: proveBeside(remember(Effect.map(Effect.flatMap(random, create), ({ id }) => id)), {
      handle: (order) => remember(Effect.map(correct.handle(order), () => order.payment)),
      worker: (order) =>
        Effect.suspend(() => {
          if (order.state === "open" && order.payment !== undefined) order.payment = newest
          return correct.worker(order)
        })
    })
  },
  {
    name: "has a handler and a worker that begin one order together",
    rule: 1,
    sentence: /Money (moved|may move) twice/,
    proof: prove({
      handle: (order) =>
        Effect.suspend(() => {
          if (order.state !== "new") return Effect.void
          order.state = "open"
          return sendWithNewKey(order)
        }),
      worker: (order) =>
        order.payment === undefined && order.state === "open"
          ? sendWithNewKey(order)
          : follow(statusOf)(order)
    })
  },
  {
    name: "gives up on a payment that is PENDING for ten minutes",
    rule: 2,
    sentence: /told “not paid”, but the money could still move/,
    proof: prove({
      handle: (order) => (order.state === "new" ? correct.handle(order) : Effect.void),
      worker: withPayment((order) =>
        follow((status) =>
          // The pauses between the lives grow: 1 s, 2 s, 4 s …
          status === "PENDING" && ++order.presses > 9 ? "not paid" : statusOf(status)
        )(order)
      )
    })
  },
  {
    name: "takes an unknown status for a failure",
    rule: 2,
    sentence: /told “not paid”, but the money could still move/,
    proof: prove({
      worker: withPayment(
        follow((status) => (/PENDING|COMPLETED/.test(status) ? statusOf(status) : "not paid"))
      )
    })
  },
  {
    name: "takes a refused read for a refused payment",
    rule: 2,
    sentence: /told “not paid”, but the money/,
    proof: prove({
      handle: (order) => (order.state === "new" ? correct.handle(order) : Effect.void),
      worker: withPayment((order, payment) =>
        order.state !== "open"
          ? Effect.void
          : get(payment).pipe(
              Effect.map(({ status }) => void (order.state = statusOf(status))),
              Effect.catchTag("ForbiddenError", () =>
                Effect.sync(() => void (order.state = "not paid"))
              ),
              Effect.ignore
            )
      )
    })
  },
  {
    name: "never looks again",
    rule: 3,
    sentence: /After \d+ lives the order is still open/,
    proof: prove({
      handle: (order) =>
        order.state === "new" ? start(order, derived, () => "open") : Effect.void,
      worker: follow(statusOf)
    })
  },
  {
    name: "repeats without a pause",
    rule: 5,
    sentence: /More than 100 requests were sent within a minute/,
    proof: prove({
      worker: withPayment((order, payment) =>
        get(payment).pipe(
          Effect.retry({ times: 1e6 }),
          Effect.map(({ status }) => void (order.state = statusOf(status)))
        )
      )
    })
  }
] as const

for (const { name, proof, rule, sentence } of mistakes) {
  const isCaught = function* () {
    // A proof that passes shows its text alone, because vitest takes minutes to print all its runs.
    const failed = yield* Effect.flip(Effect.map(proof, ({ text }) => text))
    const found = failed.proof?.failures.find((failure) => failure.rule === rule)
    assert.match(found?.sentence ?? failed.message, sentence)
  }
  Test.effect(`a checkout that ${name} breaks rule ${rule}`, isCaught, 300_000)
}
