/** Workflows on Restate. `OtherEngineKills.test.ts` kills its processes and its server. */
import { assert } from "@effect/vitest"
import * as Workflow from "@effect/workflow/Workflow"
import * as Test from "@manilla/test-support/Test"
import * as Durable from "@manilla/workflows/Durable"
import * as Steps from "@manilla/workflows/Steps"
import * as Restate from "@manilla/workflows/restate"
import * as restate from "@restatedev/restate-sdk"
import * as clients from "@restatedev/restate-sdk-clients"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createServer, type ServerHttp2Session } from "node:http2"
import { listen } from "./utils/listen.js"
import * as restateServer from "./utils/restateServer.js"

class Refused extends Schema.TaggedError<Refused>()("Refused", {}) {}

const Shop = Workflow.make({
  name: "Shop/Pay/1",
  payload: { key: Schema.NonEmptyString, amount: Schema.Number },
  success: Schema.String,
  error: Schema.Union(Refused, Durable.WriteError),
  idempotencyKey: ({ key }) => key
})

const shop = Shop.toLayer(({ amount }) =>
  Effect.gen(function* () {
    const first = yield* Durable.step({
      name: "first",
      success: Schema.String,
      error: Schema.Never,
      execute: Effect.succeed(amount === 14 ? '"'.repeat(9_000_000) : `first ${amount}`)
    })
    yield* Durable.sleep("pause", 1 + (amount % 20))
    return yield* amount === 13 ? new Refused() : Effect.succeed(first)
  })
)

Test.live("Restate runs many executions at once, and each key once", function* () {
  restateServer.asOnNode22()
  const server = yield* restateServer.server(1)
  const url = Redacted.value(server.url)
  const runtime = ManagedRuntime.make(Layer.provideMerge(shop, Steps.layer))
  const made = Restate.make(Shop, runtime)
  const till = restate.service({
    name: "till",
    handlers: {
      pay: async (ctx: restate.Context, amount: number) => {
        const key = `till/${amount}`
        const end = await ctx.workflowClient(made.definition, key).run({ key, amount })
        const result = await Effect.runPromise(Effect.either(Steps.endOf(Shop, end)))
        return Either.getOrElse(result, ({ _tag }) => _tag)
      }
    }
  })
  const handler = restate.createEndpointHandler({
    services: [made.definition, till],
    logger: () => {}
  })
  const sessions = new Set<ServerHttp2Session>()
  const runner = createServer(handler).on("session", (session) => sessions.add(session))
  const close = () => sessions.forEach((session) => session.destroy())
  yield* listen(runner, close, restateServer.portOf(url, 1))
  yield* server.register
  const ingress = clients.connect({ url })

  const amounts = Arr.range(20, 59)
  const ends = yield* Effect.forEach(
    amounts,
    (amount) => made.execute(ingress, { key: `order/${amount}`, amount }),
    { concurrency: "unbounded" }
  )
  assert.deepStrictEqual(
    ends,
    amounts.map((amount) => `first ${amount}`)
  )

  // Again, with the same payload and with another one.
  yield* made.start(ingress, { key: "order/20", amount: 20 })
  assert.strictEqual(yield* made.await(ingress, "order/20"), "first 20")
  const mismatch = yield* Effect.flip(made.execute(ingress, { key: "order/20", amount: 21 }))
  assert.deepInclude(mismatch, { _tag: "PayloadMismatch", differs: ["amount"] })

  const invalid = yield* Effect.flip(made.start(ingress, { key: "", amount: 1 }))
  assert.strictEqual(invalid._tag, "InvalidPayload")

  const refused = yield* Effect.flip(made.execute(ingress, { key: "order/13", amount: 13 }))
  assert.strictEqual(refused._tag, "Refused")

  // Restate would ask for this result again and again.
  const large = yield* Effect.exit(made.execute(ingress, { key: "order/14", amount: 14 }))
  assert.match(String(large), /18\d{6} bytes as JSON, and the engine stores at most/)

  // In a handler of one's own.
  const client = ingress.serviceClient(till)
  assert.strictEqual(yield* Effect.promise(async () => client.pay(20)), "first 20")
  assert.strictEqual(yield* Effect.promise(async () => client.pay(13)), "Refused")
})
