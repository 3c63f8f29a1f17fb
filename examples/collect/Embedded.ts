/**
 * The sandbox in this process: a real HTTP server on a loopback port, and the configuration that
 * leads the client there.
 */
import { Exchange, Fault, Sandbox, SandboxServer } from "@manilla/sandbox"
import { ConfigProvider, Console, Effect, Layer, Redacted } from "effect"

/** The sandbox as the gateway of the configuration. */
const configuration = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { authUrl, baseUrl, credentials } = yield* Sandbox.Sandbox
    const { clientId, clientSecret } = yield* credentials
    const entries = new Map([
      ["MANILLA_BASE_URL", baseUrl],
      ["MANILLA_AUTH_URL", authUrl],
      ["MANILLA_CLIENT_ID", clientId],
      ["MANILLA_CLIENT_SECRET", Redacted.value(clientSecret)],
      ["MANILLA_ENVIRONMENT", "SANDBOX"]
    ])
    return Layer.setConfigProvider(
      ConfigProvider.orElse(ConfigProvider.fromMap(entries), () => ConfigProvider.fromEnv())
    )
  })
)

export const layer = Layer.provideMerge(configuration, SandboxServer.layer())

/** The next creation is processed, and its answer lost on the way back. */
export const dropTheFirstAnswer = Effect.flatMap(Sandbox.Sandbox, ({ faults }) =>
  faults.add(Fault.dropAfter({ operation: "Payments.create" }))
)

export const printWhatItSaw = Effect.gen(function* () {
  const sandbox = yield* Sandbox.Sandbox
  const exchanges = yield* sandbox.exchanges
  const creations = exchanges.filter(({ operation }) => operation === "Payments.create")
  const keys = new Set(creations.map(({ key }) => key))
  const bodies = new Set(creations.map(({ body }) => String(Redacted.value(body))))
  const intents = yield* sandbox.paymentIntents
  yield* Console.log(`
What the service saw

${Exchange.timeline(exchanges)}

${count(creations.length, "request")} to create, ${count(keys.size, "key")}, ${count(bodies.size, "body", "bodies")}: ${count(intents.length, "payment")}.
`)
})

const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`
