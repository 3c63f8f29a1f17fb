/** The building blocks: in memory, in virtual time. */
import { assert, describe } from "@effect/vitest"
import * as Activity from "@effect/workflow/Activity"
import * as Workflow from "@effect/workflow/Workflow"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Memory from "@manilla/workflow-engine/memory"
import * as Durable from "@manilla/workflows/Durable"
import * as Policy from "@manilla/workflows/Policy"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as engineStore from "../../workflow-engine/src/internal/engineStore.js"
import * as memoryStore from "../../workflow-engine/src/internal/memoryStore.js"
import * as engines from "../../workflow-engine/test/utils/engines.js"
import * as world from "./utils/world.js"

const test = VirtualClock.tests(Layer.empty)

class Refused extends Schema.TaggedError<Refused>()("Refused", { why: Schema.String }) {}
const Failure = Schema.Union(Refused, Durable.WriteError)
type Failure = typeof Failure.Type

const Shop = Workflow.make({
  name: "Shop/Test/1",
  payload: { key: IdempotencyKey.IdempotencyKey, wallet: Schema.String },
  success: Schema.String,
  error: Failure,
  idempotencyKey: ({ key }) => key
})

/** A workflow of an application, in memory. */
const shop = <R>(body: (wallet: string) => Effect.Effect<string, Failure, R>) =>
  Shop.toLayer(({ wallet }) => Durable.compensating(body(wallet))).pipe(
    Layer.provide(
      Policy.layer({
        carryOn: { initial: "5 seconds", factor: 2, deadline: "10 minutes" },
        wait: { initial: "5 seconds", factor: 1.5, deadline: "1 hour" }
      })
    ),
    Layer.provideMerge(Memory.layerMemory),
    Layer.provideMerge(world.services())
  )

const log: Array<string> = []

/** A step that adds a line to the log. */
const note = (line: string) => {
  const execute = Effect.sync(() => void log.push(line))
  return Durable.step({ name: line, success: Schema.Void, error: Schema.Never, execute })
}

const refuse = (why: string) => {
  const execute = Effect.fail(new Refused({ why }))
  return Durable.step({ name: "refuse", success: Schema.Never, error: Refused, execute })
}

const collect = Effect.flatMap(Payments.Payments, (payments) =>
  Durable.write({
    operation: "Shop.collect",
    key: world.key("order-42"),
    success: PaymentIntent.PaymentIntent,
    idOf: ({ id }) => id,
    send: (key) => payments.create({ ...world.payment, operation: "COLLECTION" }, { key })
  })
)

const payOut = (wallet_id: string) =>
  Effect.flatMap(Payouts.Payouts, (payouts) =>
    Durable.write({
      operation: "Shop.payOut",
      key: world.key("order-42:supplier"),
      success: Payout.CreatedPayout,
      idOf: ({ reference }) => reference,
      send: (key) =>
        payouts.create(
          {
            wallet_id,
            amount: "1000",
            currency: "XOF",
            country: "BJ",
            payment_method: "mtn_momo",
            destination: "+2290161234567"
          },
          { key }
        )
    })
  )

/** Starts an execution, lets time pass, and returns its end. */
const run = (seconds: number) =>
  Effect.gen(function* () {
    log.length = 0
    const operator = yield* Operator.of(Shop)
    const { wallet_id: wallet } = yield* world.payout
    yield* operator.start({ key: world.key("order-42"), wallet })
    yield* VirtualClock.pass(Duration.seconds(seconds))
    return yield* operator.poll("order-42")
  })

const failure = (end: Option.Option<Exit.Exit<string, Failure>>) =>
  Option.getOrThrow(Option.flatMap(Option.flatMap(end, Exit.causeOption), Cause.failureOption))

describe("the blocks", () => {
  const inTurn = note("first").pipe(
    Effect.zipRight(Durable.sleep("a minute", "1 minute")),
    Effect.zipRight(note("second")),
    Effect.zipRight(Durable.sleep("another minute", "1 minute")),
    Effect.zipRight(note("third")),
    Effect.as("done")
  )
  const shopInTurn = VirtualClock.tests(shop(() => inTurn))
  shopInTurn("run once each, although the body is replayed after each pause", function* () {
    assert.deepStrictEqual(Option.getOrUndefined(yield* run(130)), Exit.succeed("done"))
    assert.deepStrictEqual(log, ["first", "second", "third"])
  })

  const look = Effect.sync(() =>
    log.push("look") < 12 ? Option.none() : Option.some(`parcel at ${log.length}`)
  )
  const delivered = Durable.pollUntil({
    name: "delivered",
    success: Schema.String,
    failure: Schema.Never,
    look: () => look,
    expired: (waited) => new Refused({ why: `late: ${Duration.format(waited)}` })
  })
  VirtualClock.tests(shop(() => delivered))(
    "a poll never takes its first result for a later one, and its looks get rarer",
    function* () {
      const end = Option.getOrUndefined(yield* run(1800))
      assert.deepStrictEqual(end, Exit.succeed("parcel at 12"))
      assert.lengthOf(log, 12)
    }
  )

  const twice = Effect.map(Effect.zipRight(collect, collect), ({ id }) => id)
  VirtualClock.tests(shop(() => twice))(
    "two blocks of one name are a defect that names it, and nothing is paid twice",
    function* () {
      const end = Option.getOrThrow(yield* run(60))
      const text = Exit.isFailure(end) ? Cause.pretty(end.cause) : "no failure"
      assert.include(text, 'Shop/Test/1: two blocks have the name "Shop.collect"')
      assert.strictEqual((yield* (yield* Operator.of(Shop)).status("order-42")).state, "Died")
      assert.deepStrictEqual(yield* world.keysOf("Payments.create"), ["order-42"])
    }
  )

  const parts = {
    name: "collect",
    success: PaymentIntent.PaymentIntent,
    error: Durable.WriteError
  }
  type Collect = typeof collect
  for (const [where, around] of [
    ["a step", (execute: Collect) => Durable.step({ ...parts, execute })],
    ["an activity", (execute: Collect) => Activity.make({ ...parts, execute })]
  ] as const) {
    const within = VirtualClock.tests(shop(() => Effect.map(around(collect), ({ id }) => id)))
    within(`in ${where} are a defect that says where they belong, and pay nothing`, function* () {
      const end = Option.getOrThrow(yield* run(60))
      const text = Exit.isFailure(end) ? Cause.pretty(end.cause) : "no failure"
      assert.include(text, "Shop/Test/1: a block runs in a step or an activity")
      assert.deepStrictEqual(yield* world.keysOf("Payments.create"), [])
    })
  }
})

test("a body sees of a result only the members that are stored, as after a crash", function* () {
  const inDatabase = { id: "parcel-1", note: "not in the schema" }
  const parcel = Durable.step({
    name: "parcel",
    success: Schema.Struct({ id: Schema.String }),
    error: Schema.Never,
    execute: Effect.succeed(inDatabase)
  })
  const body = Effect.map(parcel, (sent) => JSON.stringify(sent))
  const end = yield* Effect.provide(
    run(1),
    shop(() => body)
  )
  assert.deepStrictEqual(
    Option.getOrUndefined(end),
    Exit.succeed(JSON.stringify({ id: "parcel-1" }))
  )
})

/** Collects, ships, and then fails, or pays out to a supplier. */
const compensated = (last: (wallet: string) => Effect.Effect<string, Failure, BlockContext>) =>
  shop((wallet) =>
    Effect.gen(function* () {
      yield* Durable.compensate(note("reserve"), () => cannotFail(note("release")))
      yield* Durable.compensate(note("ship"), () => cannotFail(note("call back")))
      return yield* last(wallet)
    })
  )

type BlockContext =
  Durable.InExecution | Durable.Compensations | Payments.Payments | Payouts.Payouts

const cannotFail = <A, R>(step: Effect.Effect<A, Execution.ExecutionCancelled, R>) =>
  Effect.orDie(step)

describe("compensations", () => {
  VirtualClock.tests(compensated(() => refuse("no customs form")))(
    "undo the blocks of a body that fails, the last one first",
    function* () {
      assert.instanceOf(failure(yield* run(60)), Refused)
      assert.deepStrictEqual(log, ["reserve", "ship", "call back", "release"])
    }
  )

  for (const [how, exit] of Object.entries({
    "a success": Exit.succeed("done"),
    "a defect": Exit.die("a bug")
  })) {
    VirtualClock.tests(compensated(() => exit))(`do not run after ${how}`, function* () {
      assert.strictEqual(Option.getOrThrow(yield* run(60))._tag, exit._tag)
      assert.deepStrictEqual(log, ["reserve", "ship"])
    })
  }

  VirtualClock.tests(
    compensated((wallet) =>
      payOut(wallet).pipe(
        Effect.map(({ reference }) => reference),
        Effect.mapError((error) => new Refused({ why: error._tag }))
      )
    )
  )("do not run after an unknown outcome, whatever error the body makes of it", function* () {
    const { faults, payouts } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.dropAfter({ operation: "Payouts.create", count: "always" }))
    assert.instanceOf(failure(yield* run(1200)), Refused)
    assert.deepStrictEqual(log, ["reserve", "ship"])
    assert.lengthOf(yield* payouts, 1)
  })
})

/** A version of a workflow that sleeps, and returns its version. */
const version = (number: number, order: Schema.Schema<string>) => {
  const workflow = Workflow.make({
    name: `Shop/Versioned/${number}`,
    payload: { key: Schema.String, order },
    success: Schema.String,
    error: Execution.ExecutionCancelled,
    idempotencyKey: ({ key }) => key
  })
  const layer = workflow.toLayer(({ order }) =>
    Effect.as(Durable.sleep("a moment", "2 seconds"), `${order} by version ${number}`)
  )
  return { workflow, layer }
}

type Version = ReturnType<typeof version>

type Versions = Operator.Operator<
  { readonly key: string; readonly order: string },
  string,
  Execution.ExecutionCancelled
>

const Order = Schema.String
const StricterOrder = Schema.String.pipe(Schema.minLength(10))

describe("a changed definition", () => {
  const lifeOn =
    (store: engineStore.EngineStore) =>
    <A, E>({ layer, workflow }: Version, use: (operator: Versions) => Effect.Effect<A, E>) =>
      Effect.flatMap(Operator.of(workflow), use).pipe(
        Effect.provide(Layer.provideMerge(layer, engines.on(store)))
      )

  const isServed = (operator: Versions) =>
    Effect.gen(function* () {
      yield* VirtualClock.pass("1 minute")
      assert.strictEqual(yield* operator.await("order-1"), "tea by version 1")
    })

  test("runs beside the old one: executions wait for their own version, and none is lost", function* () {
    const life = lifeOn(yield* memoryStore.make)
    const [one, two] = [version(1, Order), version(2, Order)]
    yield* life(one, (operator) => operator.start({ key: "order-1", order: "tea" }))
    // Only version 2 runs: it knows its own executions, and leaves the others alone.
    yield* life(two, (operator) =>
      Effect.gen(function* () {
        yield* operator.start({ key: "order-2", order: "coffee" })
        yield* VirtualClock.pass("1 minute")
        assert.strictEqual(yield* operator.await("order-2"), "coffee by version 2")
        const error = yield* Effect.flip(operator.status("order-1"))
        assert.instanceOf(error, Execution.ExecutionNotFound)
      })
    )
    yield* life(one, isServed)
  })

  test("is a typed error while the stored payload does not fit, and continues when it does", function* () {
    const store = yield* memoryStore.make
    const life = lifeOn(store)
    const stored = Effect.map(
      store.find({ workflow: "Shop/Versioned/1", businessKey: "order-1" }),
      Option.map(({ clocks, end, payload }) => ({ clocks, end, payload }))
    )

    const started = (operator: Versions) => operator.start({ key: "order-1", order: "tea" })
    const second = VirtualClock.pass("1 second")
    yield* life(version(1, Order), (operator) => Effect.zipRight(started(operator), second))
    const before = yield* stored
    assert.include(JSON.stringify(before), "tea")
    const { logger, message } = yield* world.logged("does not fit the schema of this process")
    yield* life(version(1, StricterOrder), (operator) =>
      Effect.gen(function* () {
        yield* VirtualClock.pass("60 seconds")
        assert.include(yield* Deferred.await(message), "order must be a string at least 10")
        const errors = yield* Effect.all([
          Effect.flip(operator.start({ key: "order-1", order: "a cup of tea" })),
          Effect.flip(operator.status("order-1")),
          Effect.flip(operator.poll("order-1")),
          Effect.flip(operator.await("order-1"))
        ])
        for (const error of errors) {
          assert.instanceOf(error, Execution.UnreadablePayload)
          assert.deepInclude(error, { workflow: "Shop/Versioned/1", businessKey: "order-1" })
          const fields = error.issues.map(({ field }) => field)
          assert.deepStrictEqual(fields, ["order"])
          assert.include(error.message, "the stored payload of order-1 does not fit")
          assert.include(error.message, "order must be a string at least 10")
          assert.notInclude(error.message, "tea")
        }
      })
    ).pipe(Effect.provide(logger))
    assert.deepStrictEqual(yield* stored, before)
    yield* life(version(1, Order), isServed)
  })

  test("does not run under a name that another definition has", function* () {
    const both = Layer.merge(version(1, Order).layer, version(1, StricterOrder).layer)
    const exit = yield* Effect.exit(
      Effect.scoped(Layer.build(Layer.provide(both, Memory.layerMemory)))
    )
    const cause = Option.getOrThrow(Exit.causeOption(exit))
    assert.include(Cause.pretty(cause), "two workflows have the name Shop/Versioned/1")
  })
})
