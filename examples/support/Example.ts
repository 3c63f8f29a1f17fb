/**
 * Shared by the examples: the client's layers, and the choice of the service. An example uses the service
 * at MANILLA_BASE_URL, or starts its own sandbox if that variable is not set. Most examples refuse
 * credentials for real money.
 */
import { NodeRuntime } from "@effect/platform-node"
import { BearerTokens, Gateway } from "@manilla/core"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Clients from "@manilla/service/Clients"
import { Sandbox } from "@manilla/sandbox"
import { Token } from "@manilla/token"
import { Config, Data, Effect, Layer, Option } from "effect"
import * as Embedded from "./Embedded.js"
import * as Timeline from "./Timeline.js"

const client = Clients.layer.pipe(
  Layer.provide(Gateway.layerConfig()),
  Layer.provideMerge(Token.layerConfig()),
  Layer.provide(UndiciClient.layer)
)

/**
 * Runs steps that need the sandbox: act as the payer, inject network faults, show the ledger. Does
 * nothing on another service.
 */
export const onSandbox = <A, E, R>(
  play: (sandbox: Sandbox.Service) => Effect.Effect<A, E, R>
): Effect.Effect<Option.Option<A>, E, R> =>
  Effect.flatMap(
    Effect.serviceOption(Sandbox.Sandbox),
    Option.match({ onNone: () => Effect.succeedNone, onSome: (it) => Effect.asSome(play(it)) })
  )

/** The wallet to pay from: the sandbox's first wallet in the currency, or MANILLA_WALLET_ID. */
export const wallet = (currency: string) =>
  Effect.gen(function* () {
    const own = yield* onSandbox(({ wallets }) =>
      Effect.map(wallets, (all) => all.find((one) => one.currency === currency)?.id)
    )
    return Option.getOrUndefined(own) ?? (yield* Config.string("MANILLA_WALLET_ID"))
  })

type Services = Layer.Layer.Success<typeof client> | Layer.Layer.Success<typeof Timeline.layer>

/** The credentials are for real money, but the example pays invented phone numbers. */
class NotASandbox extends Data.TaggedError("NotASandbox")<{ readonly message: string }> {}

/** Checks the environment of the token itself, not of a configuration variable. */
const refuseRealMoney = Effect.gen(function* () {
  const { environment } = yield* Effect.flatMap(BearerTokens.BearerTokens, ({ get }) =>
    get(Infinity)
  )
  if (environment === "SANDBOX") return
  return yield* new NotASandbox({
    message: `This example needs SANDBOX credentials, but these are for ${environment}. It sent no request except the one for the token.`
  })
})

interface Options {
  /** Runs on its own sandbox, whatever the environment names. */
  readonly embedded?: boolean
  /** Allows real money. Such an example must first require MANILLA_PHONE, the phone to charge. */
  readonly live?: boolean
  /** Options of the example's own sandbox. */
  readonly sandbox?: Sandbox.Options
}

/** Prints a title with the base URL of the service, then runs the program. */
export const run = <A, E>(
  title: string,
  program: Effect.Effect<A, E, Services>,
  { embedded = false, live = false, sandbox = {} }: Options = {}
): void => {
  const guarded = live ? program : Effect.zipRight(refuseRealMoney, program)
  const titled = Effect.gen(function* () {
    const { baseUrl } = yield* Gateway.config
    const own = yield* Effect.serviceOption(Sandbox.Sandbox)
    const kind = Option.isSome(own) ? "the sandbox" : "the service"
    yield* Timeline.title(`${title}, on ${kind} at ${baseUrl}`)
    yield* Effect.provide(guarded, client)
  })
  Effect.gen(function* () {
    const elsewhere = yield* Config.option(Config.string("MANILLA_BASE_URL"))
    yield* !embedded && Option.isSome(elsewhere)
      ? titled
      : Effect.provide(titled, Embedded.layer(sandbox))
  }).pipe(Effect.provide(Timeline.layer), NodeRuntime.runMain({ disablePrettyLogger: true }))
}
