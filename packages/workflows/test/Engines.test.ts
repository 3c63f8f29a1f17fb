/** The blocks and the workflows on Effect's own engines, without a layer of this package. */
import * as ClusterWorkflowEngine from "@effect/cluster/ClusterWorkflowEngine"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as Sharding from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import { assert, describe, it } from "@effect/vitest"
import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Test from "@manilla/test-support/Test"
import * as Memory from "@manilla/workflow-engine/memory"
import * as CollectPayment from "@manilla/workflows/CollectPayment"
import * as Durable from "@manilla/workflows/Durable"
import * as Policy from "@manilla/workflows/Policy"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as world from "./utils/world.js"

const cluster = (storage: Layer.Layer<MessageStorage.MessageStorage>) =>
  ClusterWorkflowEngine.layer.pipe(
    Layer.provide(Sharding.layer),
    Layer.provide(Runners.layerNoop),
    Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop, storage]),
    Layer.provide(
      ShardingConfig.layer({
        shardsPerGroup: 1,
        entityMessagePollInterval: "50 millis",
        entityReplyPollInterval: "50 millis",
        entityTerminationTimeout: "100 millis"
      })
    )
  )

const storage = MessageStorage.layerMemory.pipe(Layer.provide(ShardingConfig.layer()))

/** A process with these workflows. */
const on =
  <E>(
    workflows: Layer.Layer<never, E, WorkflowEngine.WorkflowEngine>,
    engine: Layer.Layer<WorkflowEngine.WorkflowEngine>
  ) =>
  <A, E2, R>(effect: Effect.Effect<A, E2, R>) =>
    Effect.provide(effect, Layer.provideMerge(workflows, engine))

const engines = [
  { name: "WorkflowEngine.layerMemory", engine: () => WorkflowEngine.layerMemory },
  { name: "ClusterWorkflowEngine", engine: () => cluster(storage) }
]

const policy = {
  carryOn: { initial: "100 millis", factor: 2, deadline: "1 minute" },
  look: { initial: "100 millis", factor: 1, cap: "100 millis", deadline: "300 millis" },
  wait: { initial: "100 millis", factor: 1.2, deadline: "1 minute" }
} as const

const key = IdempotencyKey.make("order-42")
const operation = "Shop.pay"

const Shop = Workflow.make({
  name: "Shop/Pay",
  payload: { key: IdempotencyKey.IdempotencyKey },
  success: Schema.String,
  error: Durable.WriteError,
  idempotencyKey: ({ key }) => key
})

type Send = Effect.Effect<string, Errors.KeyedWriteError>

const write = ({
  send,
  ...options
}: {
  readonly operation: string
  readonly key: IdempotencyKey.IdempotencyKey
  readonly send: Send
}) => Durable.write({ ...options, success: Schema.String, idOf: (id) => id, send: () => send })

/** A workflow of a user's, with a block in it. */
const shop = (send: Send) =>
  Shop.toLayer(({ key }) => write({ operation, key, send })).pipe(
    Layer.provide(Policy.layer(policy))
  )

const refusal = new Errors.UnprocessableError({ operation, status: 422, message: "refused" })

const lost = new Errors.OutcomeUnknown({
  operation,
  message: "no response",
  key,
  cause: new Errors.TransportError({ operation, message: "no response", sent: true })
})

/** The answers in their order; the last one stays. */
const answers = (...all: readonly [Send, ...ReadonlyArray<Send>]) => {
  let calls = 0
  const send = Effect.suspend(() => all[Math.min(calls++, all.length - 1)] ?? all[0])
  return { send, calls: () => calls }
}

type Join = <A, E, R>(
  write: Effect.Effect<A, E, R>,
  fails: Effect.Effect<never, E>
) => Effect.Effect<A, E, R>

/** Writes that have not ended when the body fails: their answers, and how the body runs them. */
const beside: ReadonlyArray<readonly [string, Send, Join]> = [
  ["is sending", Effect.never, (write, fails) => Effect.zipRight(Effect.fork(write), fails)],
  [
    "is to send again, and was interrupted",
    Effect.fail(new Errors.RateLimitError({ operation, status: 429, message: "too many" })),
    (write, fails) =>
      Effect.raceFirst(
        // The write has its answer, and pauses.
        Effect.delay(fails, "40 millis"),
        write
      )
  ]
]

const step = { name: "pay", success: Schema.String, error: Durable.WriteError }

describe.each(engines)("on $name", ({ engine }) => {
  Test.over(world.services()).live(
    "a payment is collected once, with the key of the payload",
    function* () {
      const { faults, paymentIntents } = yield* Sandbox.Sandbox
      yield* faults.add(Fault.dropAfter({ operation: "Payments.create", count: 2 }))
      const workflow = Layer.provide(CollectPayment.layer, Policy.layer(policy))
      const { status } = yield* CollectPayment.workflow
        .execute({ key, ...world.payment })
        .pipe(Effect.provide(Layer.provideMerge(workflow, engine())))
      assert.strictEqual(status, "COMPLETED")
      assert.lengthOf(yield* paymentIntents, 1)
      assert.deepStrictEqual([...new Set(yield* world.keysOf("Payments.create"))], [key])
    }
  )

  Test.live("a block in a step is a defect", function* () {
    let calls = 0
    const execute = write({ operation, key, send: Effect.sync(() => `pay-${++calls}`) })
    const layer = Shop.toLayer(() => Durable.step({ ...step, execute }))
    const exit = yield* Effect.exit(on(layer, engine())(Shop.execute({ key })))
    const text = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "no failure"
    assert.include(text, "a block runs in a step or an activity")
    assert.strictEqual(calls, 0)
  })

  Test.live("a step whose part fails, and interrupts those beside it, fails once", function* () {
    const { calls, send } = answers(Effect.fail(refusal))
    const execute = Effect.as(Effect.all([send, Effect.never], { concurrency: 2 }), "")
    const layer = Shop.toLayer(() => Durable.step({ ...step, execute }))
    const error = yield* Effect.flip(on(layer, engine())(Shop.execute({ key })))
    assert.strictEqual(error._tag, refusal._tag)
    assert.strictEqual(calls(), 1)
  })

  Test.live("a refusal counts, unless an earlier request may have been applied", function* () {
    const run = ({ send }: { readonly send: Send }) =>
      on(shop(send), engine())(Effect.either(Shop.execute({ key })))
    const refused = answers(Effect.fail(refusal))
    assert.deepInclude(yield* run(refused), { left: refusal })
    assert.strictEqual(refused.calls(), 1)
    const doubtful = answers(Effect.fail(lost), Effect.fail(refusal), Effect.succeed("pay-1"))
    assert.deepInclude(yield* run(doubtful), { right: "pay-1" })
  })

  it.live.each(beside)("nothing is undone beside a write that %s", ([, answer, join]) =>
    Effect.gen(function* () {
      const undone: Array<string> = []
      const begun = yield* Effect.makeLatch()
      const send = Effect.zipRight(begun.open, answer)
      const hotel = { operation: "Shop.book", key: IdempotencyKey.derive(key, "hotel") }
      const booked = write({ ...hotel, send: Effect.succeed("hotel-1") })
      const fails = Effect.zipRight(begun.await, Effect.fail(refusal))
      const body = Effect.zipRight(
        Durable.compensate(booked, (id) => Effect.sync(() => void undone.push(id))),
        join(write({ operation, key, send }), fails)
      )
      const layer = Shop.toLayer(() => Durable.compensating(body))
      const workflow = Layer.provide(layer, Policy.layer(policy))
      const error = yield* Effect.flip(on(workflow, engine())(Shop.execute({ key })))
      assert.strictEqual(error._tag, refusal._tag)
      assert.deepStrictEqual(undone, [])
    })
  )
})

Test.live("on ClusterWorkflowEngine, a life that died while sending leaves doubt", function* () {
  const stored = yield* Layer.build(storage)
  const engine = cluster(
    Layer.succeed(MessageStorage.MessageStorage, Context.get(stored, MessageStorage.MessageStorage))
  )
  const sending = yield* Deferred.make<void>()
  const begun = Effect.zipRight(Shop.execute({ key }, { discard: true }), Deferred.await(sending))
  const dies = Effect.zipRight(Deferred.succeed(sending, undefined), Effect.never)
  yield* on(shop(dies), engine)(begun)
  const { calls, send } = answers(Effect.fail(refusal), Effect.succeed("pay-1"))
  const executed = on(shop(send), engine)(Shop.execute({ key }))
  const end = yield* Effect.timeoutOption(executed, "20 seconds")
  assert.strictEqual(Option.getOrUndefined(end), "pay-1")
  assert.strictEqual(calls(), 2)
})

Test.live("a body that runs a workflow on another engine does not share its steps", function* () {
  const Outer = Workflow.make({
    name: "Shop/Outer",
    payload: { key: IdempotencyKey.IdempotencyKey },
    success: Schema.Array(Schema.String),
    error: Durable.WriteError,
    idempotencyKey: ({ key }) => key
  })
  const inner = Layer.orDie(
    Layer.provideMerge(shop(Effect.succeed("pay-2")), WorkflowEngine.layerMemory)
  )
  const outer = Outer.toLayer(({ key }) =>
    Effect.all([
      write({ operation, key, send: Effect.succeed("pay-1") }),
      Effect.provide(Shop.execute({ key: IdempotencyKey.make("order-43") }), inner)
    ])
  )
  const paid = yield* on(outer, Memory.layerMemory)(Outer.execute({ key }))
  assert.deepStrictEqual(paid, ["pay-1", "pay-2"])
})
