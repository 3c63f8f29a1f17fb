/** Watches of payment links: in memory, in virtual time. */
import { assert, describe } from "@effect/vitest"
import * as Timestamp from "@manilla/core/Timestamp"
import type * as PaymentLink from "@manilla/payment-links/PaymentLink"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Memory from "@manilla/workflow-engine/memory"
import * as PaymentLinkWatch from "@manilla/workflows/PaymentLinkWatch"
import * as Policy from "@manilla/workflows/Policy"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as world from "./utils/world.js"

const layer = (policy?: Partial<Policy.Policy>) =>
  PaymentLinkWatch.layer.pipe(
    Layer.provide(Policy.layer(policy)),
    Layer.provideMerge(Memory.layerMemory),
    Layer.provideMerge(world.services())
  )

const create = (more: Partial<PaymentLink.PaymentLinkRequest> = {}) =>
  Effect.flatMap(PaymentLinks.PaymentLinks, (links) =>
    links.create({ amount: "5000", currency: "XOF", country: "BJ", ...more })
  )

const watches = Operator.of(PaymentLinkWatch.workflow)

const start = (request: Omit<typeof PaymentLinkWatch.workflow.payloadSchema.Type, "key">) =>
  Effect.flatMap(watches, (watch) => watch.start({ key: "order-42", ...request }))

/** Lets time pass, and returns the end. */
const after = (seconds: number) =>
  Effect.gen(function* () {
    const watch = yield* watches
    yield* VirtualClock.pass(Duration.seconds(seconds))
    return yield* watch.poll("order-42")
  })

const ended = Effect.flatMap(watches, (watch) => watch.await("order-42"))

const test = VirtualClock.tests(layer())

describe("PaymentLinkWatch", () => {
  test("waits in durable pauses until the link is used up", function* () {
    const watch = yield* watches
    const { payLink } = yield* Sandbox.Sandbox
    const { id } = yield* create({ max_uses: 2 })
    yield* start({ id })
    assert.isTrue(Option.isNone(yield* after(65)))
    assert.strictEqual((yield* watch.status("order-42")).state, "Waiting")
    yield* payLink({ id })
    assert.isTrue(Option.isNone(yield* after(300)))
    yield* payLink({ id })
    yield* after(600)
    assert.deepInclude(yield* ended, { id, status: "INACTIVE", use_count: 2 })
  })

  test("ends at the use that it was asked for, while the link stays active", function* () {
    const { payLink } = yield* Sandbox.Sandbox
    const { id } = yield* create({ max_uses: 5 })
    yield* start({ id, uses: 2 })
    yield* payLink({ id })
    assert.isTrue(Option.isNone(yield* after(20)))
    yield* payLink({ id })
    yield* after(20)
    assert.deepInclude(yield* ended, { status: "ACTIVE", use_count: 2 })
  })

  for (const [uses, max_uses, use_count, isOver] of [
    [undefined, 2, 2, true],
    [undefined, 2, 1, false],
    [undefined, 2, undefined, false],
    [undefined, null, 9, false],
    [1, 2, 1, true],
    [3, 2, 2, false]
  ] as const) {
    test(`${isOver ? "ends" : "goes on"} for ${uses} uses when ${use_count} of ${max_uses} are seen`, function* () {
      const { faults } = yield* Sandbox.Sandbox
      const link = yield* create()
      const data = { ...link, max_uses, use_count }
      const of = { operation: "PaymentLinks.get", count: "always" } as const
      yield* faults.add(Fault.body(JSON.stringify({ success: true, data }), of))
      yield* start({ id: link.id, uses })
      assert.strictEqual(Option.isSome(yield* after(20)), isOver)
    })
  }

  test("ends with a link that expires, and was never used", function* () {
    const now = yield* Clock.currentTimeMillis
    const expires_at = Timestamp.Timestamp.make(new Date(now + 600_000).toISOString())
    const { id } = yield* create({ expires_at })
    yield* start({ id, uses: 1 })
    assert.isTrue(Option.isNone(yield* after(300)))
    yield* after(1200)
    assert.deepInclude(yield* ended, { status: "EXPIRED", use_count: 0 })
  })

  test("looks again after reads that fail", function* () {
    const { faults, payLink } = yield* Sandbox.Sandbox
    const { id } = yield* create({ max_uses: 1 })
    yield* payLink({ id })
    yield* faults.add(Fault.status(404, { operation: "PaymentLinks.get", count: 5 }))
    yield* start({ id })
    assert.isTrue(Option.isNone(yield* after(5)))
    yield* after(600)
    assert.strictEqual((yield* ended).status, "INACTIVE")
  })

  const wait = { initial: "30 seconds", factor: 10, deadline: "20 minutes" } as const
  const waiting = VirtualClock.tests(layer({ wait }))
  for (const [status, tag] of [
    [404, "NotFoundError"],
    [503, "ServerError"]
  ] as const) {
    waiting(`ends with PaymentLinkStillActive at its deadline, after ${status}`, function* () {
      const { faults } = yield* Sandbox.Sandbox
      const { id } = yield* create()
      yield* faults.add(Fault.status(status, { operation: "PaymentLinks.get", count: "always" }))
      yield* start({ id })
      // The deadline, and the last look.
      yield* after(1200 + 120)
      const error = yield* Effect.flip(ended)
      if (error._tag !== "PaymentLinkStillActive") return assert.fail(error._tag)
      assert.strictEqual(error.id, id)
      assert.strictEqual(error.cause?._tag, tag)
    })
  }

  test("refuses a request that is not valid", function* () {
    const { id } = yield* create()
    const invalid = yield* Effect.flip(start({ id, uses: 0 }))
    assert.instanceOf(invalid, Execution.InvalidPayload)
    assert.deepStrictEqual(invalid.issues, [
      { field: "uses", rule: "must be a whole number that is at least 1" }
    ])
  })
})
