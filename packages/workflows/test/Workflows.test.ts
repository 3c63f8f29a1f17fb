/** The workflows on the engine in memory, in virtual time. */
import { assert, describe } from "@effect/vitest"
import * as Cards from "@manilla/cards/Cards"
import * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as PaymentLink from "@manilla/payment-links/PaymentLink"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as FakeService from "@manilla/test-support/FakeService"
import { traces } from "@manilla/test-support/Observed"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Engine from "@manilla/workflow-engine/Engine"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Memory from "@manilla/workflow-engine/memory"
import * as CollectPayment from "@manilla/workflows/CollectPayment"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as IssueCard from "@manilla/workflows/IssueCard"
import * as PaymentLinkWatch from "@manilla/workflows/PaymentLinkWatch"
import * as Policy from "@manilla/workflows/Policy"
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as world from "./utils/world.js"

const layer = (options: Sandbox.Options = {}, policy?: Partial<Policy.Policy>) =>
  Layer.mergeAll(CollectPayment.layer, DisbursePayout.layer, IssueCard.layer).pipe(
    Layer.provide(Policy.layer(policy)),
    Layer.provideMerge(Memory.layerMemory),
    Layer.provideMerge(world.services(options))
  )

const test = VirtualClock.tests(layer())
/** Payments settle after the test. */
const openForLong = VirtualClock.tests(layer({ settleAfter: "30 days" }))

const operation = "Payments.create"
const key = world.key("order-42")

/** Starts the collection of `order-42`, and lets time pass. */
const collect = (seconds: number) =>
  Effect.gen(function* () {
    const payments = yield* Operator.of(CollectPayment.workflow)
    yield* payments.start({ key, ...world.payment })
    yield* VirtualClock.pass(Duration.seconds(seconds))
    return yield* payments.poll("order-42")
  })

const succeeded = <A, E>(end: Option.Option<Exit.Exit<A, E>>): A =>
  Option.isSome(end) && Exit.isSuccess(end.value)
    ? end.value.value
    : assert.fail(`no success: ${JSON.stringify(end)}`)

const failed = <A, E>(end: Option.Option<Exit.Exit<A, E>>): E =>
  Option.isSome(end) && Exit.isFailure(end.value) && end.value.cause._tag === "Fail"
    ? end.value.cause.error
    : assert.fail(`no failure: ${JSON.stringify(end)}`)

const madeOnce = Effect.gen(function* () {
  const { ledger, paymentIntents } = yield* Sandbox.Sandbox
  assert.lengthOf(yield* paymentIntents, 1)
  const { journal } = yield* ledger
  return journal.filter(({ description }) => description !== "opening balance").length
})

describe("CollectPayment", () => {
  test("creates a payment intent with a key from the business key, and ends when it is final", function* () {
    const { status } = succeeded(yield* collect(10))
    assert.strictEqual(status, "COMPLETED")
    assert.deepStrictEqual(yield* world.keysOf(operation), ["order-42"])
    assert.strictEqual(yield* madeOnce, 1)
  })

  test("continues what `collect` has begun, and pays once", function* () {
    const { faults } = yield* Sandbox.Sandbox
    const payments = yield* Payments.Payments
    yield* faults.add(Fault.dropAfter({ operation }))
    const plainly = (options: Partial<Payments.CollectOptions> = {}) =>
      payments
        .collect(world.payment, { key, ...options })
        .pipe(Effect.either, Effect.fork, Effect.zipLeft(VirtualClock.pass("60 seconds")))
    const lost = yield* Fiber.join(yield* plainly({ retry: { attempts: 1 } }))
    assert.strictEqual(Either.isLeft(lost) && lost.left._tag, "OutcomeUnknown")
    const { id } = succeeded(yield* collect(10))
    const again = yield* Fiber.join(yield* plainly())
    assert.strictEqual(Either.isRight(again) && again.right.id, id)
    assert.strictEqual(yield* madeOnce, 1)
  })

  test("takes no refusal for the outcome of an earlier call that is unknown", function* () {
    const { faults } = yield* Sandbox.Sandbox
    const payments = yield* Payments.Payments
    const cards = yield* Cards.Cards
    const card = yield* world.card
    yield* faults.add(Fault.dropAfter({ operation, count: "always" }))
    yield* faults.add(Fault.dropAfter({ operation: "Cards.issue", count: "always" }))
    const once = { key, retry: { attempts: 1 } }
    yield* Effect.fork(payments.create({ ...world.payment, operation: "COLLECTION" }, once))
    yield* Effect.fork(cards.issue(card, once))
    yield* VirtualClock.pass("1 minute")
    yield* madeOnce
    yield* faults.clear
    yield* faults.add(Fault.status(422, { operation, count: "always" }))
    yield* faults.add(Fault.status(422, { operation: "Cards.issue", count: "always" }))
    const sentMillis = yield* Clock.currentTimeMillis
    const collections = yield* Operator.of(CollectPayment.workflow)
    yield* collections.start({ key, ...world.payment, sentMillis })
    const issuances = yield* Operator.of(IssueCard.workflow)
    yield* issuances.start({ key, ...card, sentMillis })
    yield* VirtualClock.pass("2 days")
    assert.instanceOf(failed(yield* collections.poll(key)), Errors.OutcomeUnknown)
    assert.instanceOf(failed(yield* issuances.poll(key)), Errors.OutcomeUnknown)
  })

  openForLong("is a workflow of Effect's: execute, poll and interrupt", function* () {
    const { workflow } = CollectPayment
    const payload = { key, ...world.payment }
    const running = yield* Effect.fork(workflow.execute(payload))
    yield* VirtualClock.pass("100 seconds")
    const executionId = yield* workflow.executionId(payload)
    assert.notStrictEqual((yield* workflow.poll(executionId))?._tag, "Complete")
    yield* workflow.interrupt(executionId)
    yield* VirtualClock.pass("100 seconds")
    const error = yield* Effect.flip(Fiber.join(running))
    assert.instanceOf(error, Execution.ExecutionCancelled)
    assert.strictEqual(error.outcome, "applied")
    const other = { ...payload, amount: "1501" }
    const refused = yield* Effect.exit(workflow.execute(other))
    assert.include(
      Cause.pretty(Option.getOrThrow(Exit.causeOption(refused))),
      "belongs to an execution whose payload differs in amount"
    )
  })

  VirtualClock.tests(layer({ settleAfter: "1 hour" }))(
    "waits for an hour in durable pauses",
    function* () {
      const payments = yield* Operator.of(CollectPayment.workflow)
      assert.isTrue(Option.isNone(yield* collect(65)))
      assert.strictEqual((yield* payments.status("order-42")).state, "Waiting")
      yield* VirtualClock.pass(Duration.seconds(2 * 3600))
      assert.strictEqual(succeeded(yield* payments.poll("order-42")).status, "COMPLETED")
      const { executionId, state } = yield* payments.status("order-42")
      assert.strictEqual(state, "Succeeded")
      // A look is one stored row, however often it reads, and so is a write and its beginning.
      const { steps } = yield* Engine.Engine
      const rows = Array.from(yield* steps(executionId), ({ name }) => name)
      const looks = rows.filter((name) => name.startsWith("look/")).length
      assert.lengthOf(rows, looks + 2)
      const { exchanges } = yield* Sandbox.Sandbox
      const reads = (yield* exchanges).filter((one) => one.operation === "Payments.get").length
      assert.isAbove(reads, 2 * looks)
    }
  )

  test("carries an unknown outcome on with the same key, and pays once", function* () {
    const { faults } = yield* Sandbox.Sandbox
    // Two calls of five attempts each.
    yield* faults.add(Fault.dropAfter({ operation, count: 10 }))
    assert.strictEqual(succeeded(yield* collect(900)).status, "COMPLETED")
    const keys = yield* world.keysOf(operation)
    assert.isAbove(keys.length, 10)
    assert.deepStrictEqual([...new Set(keys)], ["order-42"])
    assert.strictEqual(yield* madeOnce, 1)
  })

  test("does not take a refusal after an unknown outcome for the outcome", function* () {
    const { faults } = yield* Sandbox.Sandbox
    yield* Effect.forEach(
      [Fault.dropAfter({ operation, count: 5 }), Fault.status(422, { operation, count: 2 })],
      faults.add
    )
    assert.strictEqual(succeeded(yield* collect(900)).status, "COMPLETED")
    assert.strictEqual(yield* madeOnce, 1)
  })

  VirtualClock.tests(
    layer({}, { carryOn: { initial: "5 seconds", factor: 2, deadline: "10 minutes" } })
  )("ends with OutcomeUnknown and the key when the outcome stays unknown", function* () {
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.dropAfter({ operation, count: "always" }))
    const error = failed(yield* collect(3600))
    assert.instanceOf(error, Errors.OutcomeUnknown)
    assert.strictEqual(Errors.outcome(error), "unknown")
    assert.strictEqual(yield* madeOnce, 1)
  })

  test("looks again after reads that fail", function* () {
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.status(404, { operation: "Payments.get", count: 3 }))
    assert.strictEqual(succeeded(yield* collect(600)).status, "COMPLETED")
  })

  VirtualClock.tests(
    layer(
      { settleAfter: "2 hours" },
      { wait: { initial: "30 seconds", factor: 1.5, deadline: "20 minutes" } }
    )
  )("ends with PaymentStillPending after its deadline, without the phone number", function* () {
    const { faults } = yield* Sandbox.Sandbox
    const { phone_number } = world.payment.payer
    const body = JSON.stringify({
      success: false,
      data: { error: { message: `no ${phone_number}` } }
    })
    yield* faults.add(Fault.status(503, { operation: "Payments.get", count: "always", body }))
    const error = failed(yield* collect(3600))
    assert(error._tag === "PaymentStillPending")
    assert.include(error.cause?.message, "no +<redacted>")
    assert.strictEqual(Errors.outcome(error), "applied")
    // The last pause is shorter, so that the whole time is used. The last look takes a minute.
    assert.match(error.message, / is not final after 2[01]m/)
  })
})

describe("operating an execution", () => {
  test("starts once under a business key, and names the difference of another payload", function* () {
    const payments = yield* Operator.of(CollectPayment.workflow)
    const first = yield* payments.start({ key, ...world.payment })
    const again = yield* payments.start({ ...world.payment, key })
    assert.strictEqual(again, first)
    const error = yield* Effect.flip(
      payments.start({
        key,
        ...world.payment,
        amount: "1501",
        payer: { phone_number: "+2290161234568" }
      })
    )
    assert.instanceOf(error, Execution.PayloadMismatch)
    assert.deepStrictEqual(error.differs, ["amount", "payer.phone_number"])
    assert.notInclude(error.message, "1501")
    yield* VirtualClock.pass("10 seconds")
    assert.strictEqual(yield* madeOnce, 1)
  })

  test("refuses an invalid payload or business key, and names the rules", function* () {
    const payments = yield* Operator.of(CollectPayment.workflow)
    const error = yield* Effect.flip(
      payments.start({ key, ...world.payment, amount: "-1", country: "Benin" })
    )
    assert.instanceOf(error, Execution.InvalidPayload)
    const fields = error.issues.map(({ field }) => field)
    assert.deepStrictEqual(fields, ["country", "amount"])
    const watches = yield* Operator.of(PaymentLinkWatch.workflow)
    const id = PaymentLink.makeId("3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d")
    const unstorable =
      "must be well-formed text of at most 600 characters, without a lone surrogate or the character NUL (U+0000)"
    const rules = {
      "": "must be 1 to 200 characters long",
      " order-42": "must be without a space at either end",
      "order-\ud800": unstorable,
      "order-\0": unstorable
    }
    for (const [businessKey, rule] of Object.entries(rules)) {
      const refused = yield* Effect.flip(watches.start({ key: businessKey, id }))
      assert.instanceOf(refused, Execution.InvalidPayload)
      assert.deepStrictEqual(refused.issues, [{ field: "key", rule }])
      const unknown = yield* Effect.flip(payments.status(businessKey))
      assert.instanceOf(unknown, Execution.ExecutionNotFound)
    }
    const none = yield* Effect.flip(payments.status("order-42"))
    assert.instanceOf(none, Execution.ExecutionNotFound)
  })

  openForLong("ends a pause early with resume", function* () {
    const payments = yield* Operator.of(CollectPayment.workflow)
    yield* collect(1800)
    // It may be in a look, which takes a minute.
    const { dueMillis } = yield* Effect.zipRight(
      VirtualClock.pass("30 seconds"),
      payments.status("order-42")
    ).pipe(Effect.repeat({ until: ({ state }) => state === "Waiting", times: 5 }))
    assert.isAbove(dueMillis, 1_800_000)
    const { paymentIntents, settle } = yield* Sandbox.Sandbox
    const [intent] = yield* paymentIntents
    yield* settle({ resource: intent?.id ?? assert.fail("no intent") })
    yield* payments.resume("order-42")
    yield* VirtualClock.pass("5 seconds")
    assert.strictEqual(succeeded(yield* payments.poll("order-42")).status, "COMPLETED")
  })

  openForLong("does not cancel until a doubtful outcome is known", function* () {
    const payments = yield* Operator.of(CollectPayment.workflow)
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.dropAfter({ operation, count: 10 }))
    assert.isTrue(Option.isNone(yield* collect(1)))
    yield* payments.interrupt("order-42")
    yield* VirtualClock.pass("900 seconds")
    const error = failed(yield* payments.poll("order-42"))
    assert.instanceOf(error, Execution.ExecutionCancelled)
    assert.strictEqual(error.outcome, "applied")
    yield* madeOnce
  })
})

describe("DisbursePayout", () => {
  VirtualClock.tests(layer({ settleAfter: "1 day" }))(
    "follows a payout that was created before, and creates none",
    function* () {
      const payouts = yield* Operator.of(DisbursePayout.workflow)
      const client = yield* Payouts.Payouts
      const request = yield* world.payout
      const key = IdempotencyKey.make("earlier")
      const { reference } = yield* client.create(request, { key })
      yield* payouts.start({ key: world.key("salary-7"), ...request, sentMillis: 0, reference })
      yield* VirtualClock.pass("100 seconds")
      assert.strictEqual((yield* payouts.status("salary-7")).resource, reference)
      yield* payouts.interrupt("salary-7")
      yield* VirtualClock.pass("100 seconds")
      const error = failed(yield* payouts.poll("salary-7"))
      assert.instanceOf(error, Execution.ExecutionCancelled)
      assert.deepInclude(error, { outcome: "applied", resource: reference })
      assert.deepStrictEqual(yield* world.keysOf("Payouts.create"), [key])
    }
  )

  VirtualClock.tests(
    layer({}, { carryOn: { initial: "5 seconds", factor: 2, deadline: "10 minutes" } })
  )("does not count a refusal if its request may have been sent before", function* () {
    const { faults } = yield* Sandbox.Sandbox
    const payouts = yield* Operator.of(DisbursePayout.workflow)
    const request = yield* world.payout
    yield* faults.add(Fault.status(422, { operation: "Payouts.create", count: "always" }))
    yield* payouts.start({ key: world.key("refused"), ...request })
    yield* VirtualClock.pass("7200 seconds")
    assert.instanceOf(failed(yield* payouts.poll("refused")), Errors.UnprocessableError)
    for (const [key, sentMillis] of [
      ["sent", 7_200_000],
      ["sent long ago", 0]
    ] as const) {
      yield* payouts.start({ key: world.key(key), ...request, sentMillis })
    }
    yield* payouts.interrupt("sent")
    yield* VirtualClock.pass("7200 seconds")
    for (const key of ["sent", "sent long ago"]) {
      assert.instanceOf(failed(yield* payouts.poll(key)), Errors.OutcomeUnknown, key)
    }
    const keys = yield* world.keysOf("Payouts.create")
    assert.isAbove(keys.filter((key) => key === "sent").length, 1)
    assert.notInclude(keys, "sent long ago")
  })

  test("pays once, and hides the destination", function* () {
    const payouts = yield* Operator.of(DisbursePayout.workflow)
    const { faults, payouts: made } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.dropAfter({ operation: "Payouts.create", count: 7 }))
    yield* payouts.start({ key: world.key("salary-7"), ...(yield* world.payout) })
    yield* VirtualClock.pass("600 seconds")
    const payout = succeeded(yield* payouts.poll("salary-7"))
    assert.strictEqual(payout.status, "COMPLETED")
    assert.strictEqual(String(payout.destination), "<redacted>")
    assert.lengthOf(yield* made, 1)
    assert.deepStrictEqual([...new Set(yield* world.keysOf("Payouts.create"))], ["salary-7"])
  })
})

/** DisbursePayout over a service of scripted answers. */
const scripted = (
  reactions: Arr.NonEmptyReadonlyArray<FakeService.Reaction>,
  policy?: Partial<Policy.Policy>
) =>
  DisbursePayout.layer.pipe(
    Layer.provide(Policy.layer(policy)),
    Layer.provide(Payouts.layer),
    Layer.provide(
      Layer.effect(
        Gateway.Gateway,
        Effect.map(FakeService.make(reactions, { token }), ({ gateway }) => gateway)
      )
    ),
    Layer.provideMerge(Memory.layerMemory)
  )

const token = "eyJhbGciOiJSUzI1NiJ9.Y2FuYXJ5LXRva2Vu.kR9xWq-sT_4vZ"

const request = {
  wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
  amount: "1000",
  currency: "XOF",
  country: "BJ",
  payment_method: "mtn_momo",
  destination: "+2290161234567"
}

/** Pays `request`, and returns the end. */
const disburse = Effect.gen(function* () {
  const payouts = yield* Operator.of(DisbursePayout.workflow)
  yield* payouts.start({ key: world.key("salary-7"), ...request })
  yield* VirtualClock.pass("600 seconds")
  return yield* payouts.poll("salary-7")
})

describe("DisbursePayout, if the response to the creation", () => {
  const answer = (members: Readonly<Record<string, unknown>> = {}) =>
    FakeService.answer({ ...request, reference: "PO-1", status: "PENDING", ...members })

  const shortly = {
    look: { initial: "1 second", factor: 2, cap: "1 second", deadline: "2 seconds" },
    wait: { initial: "1 second", factor: 2, deadline: "5 seconds" }
  } as const

  VirtualClock.tests(scripted([answer({ wallet_id: 7 }), answer({ status: "COMPLETED" })]))(
    "has a field that cannot be read: reads the payout by its reference",
    function* () {
      assert.strictEqual(succeeded(yield* disburse).status, "COMPLETED")
    }
  )

  VirtualClock.tests(
    scripted(
      [answer(), FakeService.failure(403, {}, { message: `no ${request.destination}` })],
      shortly
    )
  )("cannot be read: its error does not show the phone number", function* () {
    const error = failed(yield* disburse)
    assert(error._tag === "PayoutStillPending", error.message)
    assert.include(error.cause?.message, "no +<redacted>")
  })

  VirtualClock.tests(scripted([answer({ reference: `${token}0` })], shortly))(
    "repeats the token as the reference: its error does not",
    function* () {
      const error = failed(yield* disburse)
      assert(error._tag === "PayoutStillPending", error.message)
      for (const shown of [error.reference, error.message]) {
        assert.deepStrictEqual(traces(token, shown), [])
      }
    }
  )
})

describe("IssueCard", () => {
  test("issues one card, whose reference is the key", function* () {
    const cards = yield* Operator.of(IssueCard.workflow)
    const { cards: issued, faults } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.dropAfter({ operation: "Cards.issue", count: 7 }))
    yield* cards.start({ key: world.key("card-7"), ...(yield* world.card) })
    yield* VirtualClock.pass("600 seconds")
    const { card } = succeeded(yield* cards.poll("card-7"))
    assert.strictEqual(card.issuance_reference, "card-7")
    assert.lengthOf(yield* issued, 1)
  })
})
