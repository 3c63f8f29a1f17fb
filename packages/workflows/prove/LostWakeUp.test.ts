/**
 * The engine can lose a wake-up (Effect-TS/effect #6318, #8312): it reads the message that ends a pause, and
 * does not handle it. It would read it again after 10 minutes.
 */
import * as MessageStorage from "@effect/cluster/MessageStorage"
import { assert, it } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Operator from "@manilla/workflows/Operator"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as database from "../src/internal/sql/database.js"
import * as dueStorage from "../src/internal/sql/dueStorage.js"
import * as patientStorage from "../src/internal/sql/patientStorage.js"
import * as sqlEngine from "../src/internal/sql/sqlEngine.js"
import * as files from "../test/utils/files.js"
import * as world from "../test/utils/world.js"

/** A storage whose reader loses the first message that ends a pause. */
const forgetful = (lost: Deferred.Deferred<void>) =>
  Layer.effect(
    MessageStorage.MessageStorage,
    Effect.map(MessageStorage.MessageStorage, (storage) => ({
      ...storage,
      unprocessedMessages: (shards: Parameters<typeof storage.unprocessedMessages>[0]) =>
        Effect.gen(function* () {
          const messages = yield* storage.unprocessedMessages(shards)
          const isWakeUp = (message: (typeof messages)[number]) =>
            message.envelope._tag === "Request" && message.envelope.tag === "deferred"
          if (!messages.some(isWakeUp) || !(yield* Deferred.succeed(lost, undefined))) {
            return messages
          }
          return messages.filter((message) => !isWakeUp(message))
        })
    }))
  ).pipe(Layer.provide(patientStorage.layer))

const policy = {
  look: { initial: "100 millis", factor: 1, cap: "100 millis", deadline: "200 millis" },
  wait: { initial: "1 second", factor: 1.1, deadline: "1 day" }
} as const

it.live("the sweeper wakes an execution whose wake-up was lost", () =>
  Effect.gen(function* () {
    const path = yield* files.database
    const lost = yield* Deferred.make<void>()
    const layer = DisbursePayout.layer(policy).pipe(
      Layer.provideMerge(sqlEngine.layer(forgetful(lost))),
      Layer.provide(database.layer(path))
    )
    yield* Effect.gen(function* () {
      const payouts = yield* Operator.of(DisbursePayout.workflow)
      yield* payouts.start({ key: world.key("salary-7"), ...(yield* world.payout) })
      yield* Deferred.await(lost)
      // The sweeper is much faster than the engine's own 10 minutes.
      const payout = yield* Effect.timeout(payouts.await("salary-7"), "60 seconds")
      assert.strictEqual(payout.status, "COMPLETED")
    }).pipe(Effect.provide(layer))
  }).pipe(Effect.scoped, Effect.provide(world.services({ settleAfter: "1 second" })))
)

type Payouts = Effect.Effect.Success<ReturnType<typeof payoutsOf>>

const payoutsOf = () => Operator.of(DisbursePayout.workflow)

/** A database that is locked while the process starts: the engine waits 5 seconds for this operation. */
const locked = Layer.effect(
  MessageStorage.MessageStorage,
  Effect.map(MessageStorage.MessageStorage, (storage) => ({
    ...storage,
    resetShards: (shards: Parameters<typeof storage.resetShards>[0]) =>
      Effect.delay(storage.resetShards(shards), "7 seconds")
  }))
).pipe(Layer.provide(dueStorage.layer))

it.live("a database that is locked while a process starts does not hold up what it continues", () =>
  Effect.gen(function* () {
    const file = database.layer(yield* files.database)
    const life = <A, E>(
      storage: Parameters<typeof sqlEngine.layer>[0],
      use: (payouts: Payouts) => Effect.Effect<A, E>
    ) =>
      Effect.flatMap(Operator.of(DisbursePayout.workflow), use).pipe(
        Effect.provide(
          DisbursePayout.layer(policy).pipe(
            Layer.provideMerge(sqlEngine.layer(storage)),
            Layer.provide(file),
            Layer.fresh
          )
        )
      )
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.delay("20 seconds", { operation: "Payouts.create" }))
    const request = yield* world.payout
    yield* life(undefined, (payouts) =>
      Effect.zipRight(
        payouts.start({ key: world.key("salary-7"), ...request }),
        Effect.repeat(Effect.delay(payouts.status("salary-7"), "20 millis"), {
          until: ({ begun }) => "Payouts.disburse" in begun
        })
      )
    )
    yield* faults.clear
    const payout = yield* life(patientStorage.patiently(locked), (payouts) =>
      // The sweeper takes 5 minutes to notice.
      Effect.timeout(payouts.await("salary-7"), "60 seconds")
    )
    assert.strictEqual(payout.status, "COMPLETED")
  }).pipe(Effect.scoped, Effect.provide(world.services({ settleAfter: "1 second" })))
)
