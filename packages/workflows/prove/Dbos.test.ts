/** Workflows on DBOS. `OtherEngineKills.test.ts` kills its processes. */
import { DBOS } from "@dbos-inc/dbos-sdk"
import { assert } from "@effect/vitest"
import * as Workflow from "@effect/workflow/Workflow"
import * as Postgres from "@manilla/test-support/Postgres"
import * as Test from "@manilla/test-support/Test"
import * as Durable from "@manilla/workflows/Durable"
import * as Steps from "@manilla/workflows/Steps"
import * as Dbos from "@manilla/workflows/dbos"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

class Refused extends Schema.TaggedError<Refused>()("Refused", {}) {}

const named = (name: string) =>
  Workflow.make({
    name,
    payload: { key: Schema.NonEmptyString, amount: Schema.Number },
    success: Schema.String,
    error: Schema.Union(Refused, Durable.WriteError),
    idempotencyKey: ({ key }) => key
  })
const Shop = named("Shop/Pay/1")
const Other = named("Shop/Other/1")
const Missing = named("Shop/Missing/1")

const step = (name: string, amount: number) =>
  Durable.step({
    name,
    success: Schema.String,
    error: Schema.Never,
    execute: Effect.delay(Effect.succeed(`${name} ${amount}`), 1 + (amount % 7))
  })

const amounts = Arr.range(20, 119)

/** Wakes all bodies in one turn of the scheduler. */
const all = Effect.runSync(Effect.makeLatch())
let begun = 0

const layer = Layer.merge(
  Shop.toLayer(({ amount }) =>
    Effect.gen(function* () {
      if (++begun === amounts.length) yield* all.open
      yield* all.await
      const first = yield* step("first", amount)
      yield* Durable.sleep("pause", 1 + (amount % 20))
      const second = yield* step("second", amount)
      return yield* amount === 13 ? new Refused() : Effect.succeed(`${first}, ${second}`)
    })
  ),
  Other.toLayer(() => Effect.succeed("other"))
)

Test.live("DBOS runs many executions at once, and each key once", function* () {
  const { url } = yield* Postgres.server
  const runtime = ManagedRuntime.make(Layer.provideMerge(layer, Steps.layer))
  const shop = Dbos.register(Shop, runtime)
  const other = Dbos.register(Other, runtime)
  const missing = Dbos.register(Missing, runtime)
  yield* Effect.acquireRelease(
    Effect.promise(() => {
      DBOS.setConfig({ name: "t", systemDatabaseUrl: Redacted.value(url), logLevel: "error" })
      return DBOS.launch()
    }),
    () => Effect.promise(() => DBOS.shutdown())
  )

  const ends = yield* Effect.forEach(
    amounts,
    (amount) => shop.execute({ key: `order-${amount}`, amount }),
    { concurrency: "unbounded" }
  )
  assert.deepStrictEqual(
    ends,
    amounts.map((amount) => `first ${amount}, second ${amount}`)
  )

  // Each step belongs to its own execution.
  for (const amount of amounts) {
    const steps = yield* Effect.promise(() => DBOS.listWorkflowSteps(`order-${amount}`))
    const names = steps?.map(({ name }) => name)
    assert.deepStrictEqual(names, ["step/first/1", "DBOS.sleep", "step/second/1"])
  }

  // Again, with the same payload and with another one.
  yield* shop.start({ key: "order-20", amount: 20 })
  assert.strictEqual(yield* shop.await("order-20"), "first 20, second 20")
  const mismatch = yield* Effect.flip(shop.execute({ key: "order-20", amount: 21 }))
  assert.deepInclude(mismatch, { _tag: "PayloadMismatch", differs: ["amount"] })
  const taken = yield* Effect.flip(other.start({ key: "order-20", amount: 20 }))
  assert.deepInclude(taken, { _tag: "PayloadMismatch", differs: ["workflow"] })

  const invalid = yield* Effect.flip(shop.start({ key: "", amount: 1 }))
  assert.deepInclude(invalid, { _tag: "InvalidPayload" })
  assert.isNull(yield* Effect.promise(() => DBOS.getWorkflowStatus("")))

  const refused = yield* Effect.flip(shop.execute({ key: "order-13", amount: 13 }))
  assert.strictEqual(refused._tag, "Refused")
  const statusOf = (key: string) =>
    Effect.map(
      Effect.promise(() => DBOS.getWorkflowStatus(key)),
      (status) => status?.status
    )
  assert.strictEqual(yield* statusOf("order-13"), "SUCCESS")

  // A process without its layer does not end it.
  yield* missing.start({ key: "order-1", amount: 1 })
  yield* other.execute({ key: "order-2", amount: 1 })
  assert.strictEqual(yield* statusOf("order-1"), "PENDING")
})
