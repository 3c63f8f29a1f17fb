/** The building blocks: in memory in virtual time, and on SQLite over several lives of a process. */
import { assert, describe, it } from "@effect/vitest"
import * as Activity from "@effect/workflow/Activity"
import * as DurableClock from "@effect/workflow/DurableClock"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Files from "@manilla/test-support/Files"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Executions from "@manilla/workflow-engine/Executions"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Memory from "@manilla/workflow-engine/memory"
import * as Sqlite from "@manilla/workflow-engine/sqlite"
import * as Durable from "@manilla/workflows/Durable"
import * as Policy from "@manilla/workflows/Policy"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
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
const note = (line: string) =>
  Durable.step({
    name: line,
    success: Schema.Void,
    error: Schema.Never,
    execute: Effect.sync(() => void log.push(line))
  })

const refuse = (why: string) =>
  Durable.step({
    name: "refuse",
    success: Schema.Never,
    error: Refused,
    execute: Effect.fail(new Refused({ why }))
  })

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
  VirtualClock.test("run once each, although the body is replayed after each pause", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(Option.getOrUndefined(yield* run(130)), Exit.succeed("done"))
      assert.deepStrictEqual(log, ["first", "second", "third"])
    }).pipe(
      Effect.provide(
        shop(() =>
          Effect.gen(function* () {
            yield* note("first")
            yield* Durable.sleep("a minute", "1 minute")
            yield* note("second")
            yield* Durable.sleep("another minute", "1 minute")
            yield* note("third")
            return "done"
          })
        )
      )
    )
  )

  VirtualClock.test(
    "a poll never takes its first result for a later one, and its looks get rarer",
    () =>
      Effect.gen(function* () {
        const end = Option.getOrUndefined(yield* run(1800))
        assert.deepStrictEqual(end, Exit.succeed("parcel at 12"))
        assert.lengthOf(log, 12)
      }).pipe(
        Effect.provide(
          shop(() =>
            Durable.pollUntil({
              name: "delivered",
              success: Schema.String,
              failure: Schema.Never,
              look: () =>
                Effect.sync(() =>
                  log.push("look") < 12 ? Option.none() : Option.some(`parcel at ${log.length}`)
                ),
              expired: (waited) => new Refused({ why: `late: ${Duration.format(waited)}` })
            })
          )
        )
      )
  )

  VirtualClock.test(
    "two blocks of one name are a defect that names it, and nothing is paid twice",
    () =>
      Effect.gen(function* () {
        const end = Option.getOrThrow(yield* run(60))
        const text = Exit.isFailure(end) ? Cause.pretty(end.cause) : "no failure"
        assert.include(text, 'Shop/Test/1: two blocks have the name "Shop.collect"')
        assert.strictEqual((yield* (yield* Operator.of(Shop)).status("order-42")).state, "Died")
        assert.deepStrictEqual(yield* world.keysOf("Payments.create"), ["order-42"])
      }).pipe(
        Effect.provide(
          shop(() =>
            Effect.zipRight(
              collect,
              Effect.map(collect, ({ id }) => id)
            )
          )
        )
      )
  )

  for (const [where, around] of [
    [
      "a step",
      (execute: typeof collect) =>
        Durable.step({
          name: "collect",
          success: PaymentIntent.PaymentIntent,
          error: Durable.WriteError,
          execute
        })
    ],
    [
      "an activity",
      (execute: typeof collect) =>
        Activity.make({
          name: "collect",
          success: PaymentIntent.PaymentIntent,
          error: Durable.WriteError,
          execute
        })
    ]
  ] as const) {
    VirtualClock.test(`in ${where} are a defect that says where they belong, and pay nothing`, () =>
      Effect.gen(function* () {
        const end = Option.getOrThrow(yield* run(60))
        const text = Exit.isFailure(end) ? Cause.pretty(end.cause) : "no failure"
        assert.include(text, "Shop/Test/1: a block runs in a step or an activity")
        assert.deepStrictEqual(yield* world.keysOf("Payments.create"), [])
      }).pipe(Effect.provide(shop(() => Effect.map(around(collect), ({ id }) => id))))
    )
  }

  VirtualClock.test(
    "resume ends a sleep, and interrupt ends the execution before its next block",
    () =>
      Effect.gen(function* () {
        const operator = yield* Operator.of(Shop)
        assert.isTrue(Option.isNone(yield* run(60)))
        yield* operator.resume("order-42")
        yield* VirtualClock.pass("5 seconds")
        assert.deepStrictEqual(log, ["awake"])
        yield* operator.interrupt("order-42")
        yield* VirtualClock.pass("5 seconds")
        const error = failure(yield* operator.poll("order-42"))
        assert.instanceOf(error, Execution.ExecutionCancelled)
        assert.strictEqual(error.outcome, "notApplied")
        assert.deepStrictEqual(yield* world.keysOf("Payments.create"), [])
      }).pipe(
        Effect.provide(
          shop(() =>
            Effect.gen(function* () {
              yield* Durable.sleep("a day", "1 day")
              yield* note("awake")
              yield* Durable.sleep("another day", "1 day")
              return (yield* collect).id
            })
          )
        )
      )
  )
})

test("a body sees of a result only the members that are stored, as after a crash", function* () {
  const inDatabase = { id: "parcel-1", note: "not in the schema" }
  const parcel = Durable.step({
    name: "parcel",
    success: Schema.Struct({ id: Schema.String }),
    error: Schema.Never,
    execute: Effect.succeed(inDatabase)
  })
  const end = Option.getOrThrow(
    yield* Effect.provide(
      run(1),
      shop(() => Effect.map(parcel, (sent) => JSON.stringify(sent)))
    )
  )
  assert.deepStrictEqual(end, Exit.succeed(JSON.stringify({ id: "parcel-1" })))
})

describe("an interrupt while a step runs", () => {
  const slow = Durable.step({
    name: "slow",
    success: Schema.Void,
    error: Schema.Never,
    execute: Effect.sleep("10 seconds")
  })

  VirtualClock.test("ends the execution before its next step", () =>
    Effect.gen(function* () {
      const operator = yield* Operator.of(Shop)
      yield* run(5)
      yield* operator.interrupt("order-42")
      yield* VirtualClock.pass("60 seconds")
      assert.instanceOf(failure(yield* operator.poll("order-42")), Execution.ExecutionCancelled)
      assert.deepStrictEqual(log, [])
    }).pipe(Effect.provide(shop(() => Effect.as(Effect.zipRight(slow, note("after")), "done"))))
  )
})

describe("a workflow without blocks", () => {
  const Plain = Workflow.make({
    name: "Shop/Plain/1",
    payload: { order: Schema.String },
    success: Schema.String,
    idempotencyKey: ({ order }) => order
  })
  const layer = Plain.toLayer(({ order }) =>
    Effect.as(DurableClock.sleep({ name: "a day", duration: "1 day" }), order)
  ).pipe(Layer.provideMerge(Memory.layerMemory))

  VirtualClock.tests(layer)(
    "is listed, found by its id, and ends when it is interrupted",
    function* () {
      const operator = yield* Operator.of(Plain)
      const [tea, coffee] = yield* Effect.forEach(["tea", "coffee"], (order) =>
        Plain.execute({ order }, { discard: true })
      )
      if (tea === undefined || coffee === undefined) return assert.fail("no id")
      yield* VirtualClock.pass("1 minute")
      yield* Plain.interrupt(tea)
      yield* VirtualClock.pass("1 minute")
      assert.strictEqual((yield* operator.status(tea)).state, "Failed")
      assert.strictEqual((yield* operator.status(coffee)).state, "Waiting")
      yield* VirtualClock.pass("1 day")
      assert.strictEqual(yield* operator.await(coffee), "coffee")
      const all = yield* Stream.runCollect(Executions.stream({ workflow: Plain.name }))
      const states = Array.from(all, ({ state }) => state)
      assert.deepStrictEqual(states.sort(), ["Failed", "Succeeded"])
    }
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
  VirtualClock.test("undo the blocks of a body that fails, the last one first", () =>
    Effect.gen(function* () {
      assert.instanceOf(failure(yield* run(60)), Refused)
      assert.deepStrictEqual(log, ["reserve", "ship", "call back", "release"])
    }).pipe(Effect.provide(compensated(() => refuse("no customs form"))))
  )

  for (const [how, exit] of Object.entries({
    "a success": Exit.succeed("done"),
    "a defect": Exit.die("a bug")
  })) {
    VirtualClock.test(`do not run after ${how}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(Option.getOrThrow(yield* run(60))._tag, exit._tag)
        assert.deepStrictEqual(log, ["reserve", "ship"])
      }).pipe(Effect.provide(compensated(() => exit)))
    )
  }

  VirtualClock.test(
    "do not run after an unknown outcome, whatever error the body makes of it",
    () =>
      Effect.gen(function* () {
        const { faults, payouts } = yield* Sandbox.Sandbox
        yield* faults.add(Fault.dropAfter({ operation: "Payouts.create", count: "always" }))
        assert.instanceOf(failure(yield* run(1200)), Refused)
        assert.deepStrictEqual(log, ["reserve", "ship"])
        assert.lengthOf(yield* payouts, 1)
      }).pipe(
        Effect.provide(
          compensated((wallet) =>
            payOut(wallet).pipe(
              Effect.map(({ reference }) => reference),
              Effect.mapError((error) => new Refused({ why: error._tag }))
            )
          )
        )
      )
  )

  VirtualClock.test(
    "run when the execution is interrupted, and the error says what was applied",
    () =>
      Effect.gen(function* () {
        const operator = yield* Operator.of(Shop)
        yield* run(60)
        yield* operator.interrupt("order-42")
        yield* VirtualClock.pass("60 seconds")
        const error = failure(yield* operator.poll("order-42"))
        assert.instanceOf(error, Execution.ExecutionCancelled)
        assert.strictEqual(Errors.outcome(error), "applied")
        assert.strictEqual(error.resource, (yield* operator.status("order-42")).resource)
        assert.deepStrictEqual(log, ["reserve", "ship", "call back", "release"])
        assert.deepStrictEqual(yield* world.keysOf("Payouts.create"), [])
      }).pipe(
        Effect.provide(
          compensated((wallet) =>
            Effect.gen(function* () {
              yield* collect
              yield* Durable.sleep("a day", "1 day")
              return (yield* payOut(wallet)).reference
            })
          )
        )
      )
  )
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

class NotEnded extends Data.TaggedError("NotEnded") {}

describe("a changed definition", () => {
  it.live(
    "runs beside the old one: executions wait for their own version, and none is lost",
    () =>
      Effect.gen(function* () {
        const file = yield* Files.database
        const { logger, message } = yield* world.logged("does not fit the schema of this process")
        const life = <A, E>(
          { layer, workflow }: Version,
          use: (operator: Versions) => Effect.Effect<A, E>
        ) =>
          Effect.flatMap(Operator.of(workflow), use).pipe(
            Effect.provide(Layer.provideMerge(layer, Sqlite.layerSqlite({ file })))
          )
        const one = version(1, Order)
        const two = version(2, Order)
        const ended = (operator: Versions, key: string) =>
          Effect.timeoutFail(operator.await(key), {
            duration: "60 seconds",
            onTimeout: () => new NotEnded()
          })

        yield* life(one, (operator) => operator.start({ key: "order-1", order: "tea" }))

        // Only version 2 runs: it knows its own executions, and leaves the others alone.
        yield* life(two, (operator) =>
          Effect.gen(function* () {
            yield* operator.start({ key: "order-2", order: "coffee" })
            assert.strictEqual(yield* ended(operator, "order-2"), "coffee by version 2")
            const error = yield* Effect.flip(operator.status("order-1"))
            assert.instanceOf(error, Execution.ExecutionNotFound)
          })
        )

        // The schema of version 1 was changed under its name: the execution waits, and says why.
        yield* life(version(1, StricterOrder), (operator) =>
          Effect.gen(function* () {
            const told = yield* Effect.timeout(Deferred.await(message), "45 seconds")
            assert.include(told, "order must be a string at least 10")
            const error = yield* Effect.flip(operator.poll("order-1"))
            assert.strictEqual(error._tag, "UnreadablePayload")
          })
        ).pipe(Effect.provide(logger))

        // Version 1 is back.
        yield* life(one, (operator) =>
          Effect.gen(function* () {
            yield* operator.resume("order-1")
            assert.strictEqual(yield* ended(operator, "order-1"), "tea by version 1")
          })
        )
      }).pipe(Effect.scoped),
    300_000
  )

  test("is a typed error while the stored payload does not fit, and continues when it does", function* () {
    const store = yield* memoryStore.make
    const life = <A, E>(
      order: Schema.Schema<string>,
      use: (operator: Versions) => Effect.Effect<A, E>
    ) => {
      const { layer, workflow } = version(1, order)
      return Effect.flatMap(Operator.of(workflow), use).pipe(
        Effect.provide(Layer.provideMerge(layer, engines.on(store)))
      )
    }
    const stored = Effect.map(
      store.find({ workflow: "Shop/Versioned/1", businessKey: "order-1" }),
      Option.map(({ clocks, end, payload }) => ({ clocks, end, payload }))
    )

    yield* life(Order, (operator) =>
      Effect.zipRight(
        operator.start({ key: "order-1", order: "tea" }),
        VirtualClock.pass("1 seconds")
      )
    )
    const before = yield* stored
    assert.include(JSON.stringify(before), "tea")
    yield* life(StricterOrder, (operator) =>
      Effect.gen(function* () {
        yield* VirtualClock.pass("60 seconds")
        const errors = yield* Effect.all([
          Effect.flip(operator.start({ key: "order-1", order: "a cup of tea" })),
          Effect.flip(operator.status("order-1")),
          Effect.flip(operator.poll("order-1")),
          Effect.flip(operator.await("order-1"))
        ])
        for (const error of errors) {
          assert.instanceOf(error, Execution.UnreadablePayload)
          assert.strictEqual(error.workflow, "Shop/Versioned/1")
          assert.strictEqual(error.businessKey, "order-1")
          assert.deepStrictEqual(
            error.issues.map(({ field }) => field),
            ["order"]
          )
          assert.include(error.message, "the stored payload of order-1 does not fit")
          assert.include(error.message, "order must be a string at least 10")
          assert.notInclude(error.message, "tea")
        }
      })
    )
    assert.deepStrictEqual(yield* stored, before)
    yield* life(Order, (operator) =>
      Effect.gen(function* () {
        yield* VirtualClock.pass("60 seconds")
        assert.strictEqual(yield* operator.await("order-1"), "tea by version 1")
      })
    )
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

describe("an execution that a body starts", () => {
  const Child = Workflow.make({
    name: "Shop/Child/1",
    payload: { order: Schema.String },
    success: Schema.String,
    idempotencyKey: ({ order }) => order
  })
  const Parent = Workflow.make({
    name: "Shop/Parent/1",
    payload: { order: Schema.String },
    success: Schema.String,
    idempotencyKey: ({ order }) => order
  })
  const layer = Layer.merge(
    Child.toLayer(({ order }) =>
      Effect.as(Effect.orDie(Durable.sleep("a while", "10 minutes")), order)
    ),
    Parent.toLayer(({ order }) => Child.execute({ order }))
  )

  test("wakes it when it ends, also if its process dies before", function* () {
    const store = yield* memoryStore.make
    // As if the process had died after it stored the end.
    const deaf = {
      ...store,
      modify: ((executionId, change, runner) =>
        runner === undefined
          ? Effect.succeedNone
          : store.modify(executionId, change, runner)) as typeof store.modify
    }
    for (const [order, on] of Object.entries({ tea: store, coffee: deaf })) {
      const context = yield* Layer.build(Layer.provideMerge(layer, engines.on(on)))
      const parents = yield* Effect.provide(Operator.of(Parent), context)
      const id = yield* parents.start({ order })
      yield* VirtualClock.pass("5 minutes")
      assert.strictEqual((yield* parents.status(id)).state, "Waiting")
      yield* VirtualClock.pass("10 minutes")
      assert.strictEqual(yield* parents.await(id), order)
    }
  })
})

describe("a signal", () => {
  const Signal = DurableDeferred.make("paid", { success: Schema.String })
  const Waiter = Workflow.make({
    name: "Shop/Waiter/1",
    payload: { order: Schema.String },
    success: Schema.String,
    idempotencyKey: ({ order }) => order
  })
  const layer = Layer.provideMerge(
    Waiter.toLayer(() => DurableDeferred.await(Signal)),
    Memory.layerMemory
  )

  VirtualClock.tests(layer)("wakes an execution, before or after it began to wait", function* () {
    for (const order of ["early", "late"]) {
      const executionId = yield* Waiter.executionId({ order })
      const send = DurableDeferred.succeed(Signal, {
        token: DurableDeferred.tokenFromExecutionId(Signal, { workflow: Waiter, executionId }),
        value: order
      })
      if (order === "early") yield* send
      yield* Waiter.execute({ order }, { discard: true })
      yield* VirtualClock.pass("1 minute")
      if (order === "late") yield* send
      yield* VirtualClock.pass("1 minute")
      assert.strictEqual(yield* Waiter.execute({ order }), order)
    }
  })
})
