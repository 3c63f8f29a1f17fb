/**
 * What the examples share: the client as every program has it, and where it runs. On the gateway
 * that MANILLA_BASE_URL and its like name, if no real money is there, or else on a sandbox of its own.
 */
import { NodeRuntime } from "@effect/platform-node"
import { Cardholders, Cards } from "@manilla/cards"
import { Catalogue } from "@manilla/catalogue"
import { BearerTokens, Gateway } from "@manilla/core"
import * as UndiciClient from "@manilla/core/UndiciClient"
import { PaymentLinks } from "@manilla/payment-links"
import { Payments } from "@manilla/payments"
import { Payouts } from "@manilla/payouts"
import { Refunds } from "@manilla/refunds"
import { Sandbox } from "@manilla/sandbox"
import { Token } from "@manilla/token"
import { Transactions } from "@manilla/transactions"
import { Config, Data, Effect, Layer, Option } from "effect"
import * as Embedded from "./Embedded.js"
import * as Timeline from "./Timeline.js"

const client = Layer.mergeAll(
  Cardholders.layer,
  Cards.layer,
  Catalogue.layer,
  PaymentLinks.layer,
  Payments.layer,
  Payouts.layer,
  Refunds.layer,
  Transactions.layer
).pipe(
  Layer.provide(Gateway.layerConfig()),
  Layer.provideMerge(Token.layerConfig()),
  Layer.provide(UndiciClient.layer)
)

/** What only a sandbox can do: play the payer, make the network fail, show the ledger. */
export const onSandbox = <A, E, R>(
  play: (sandbox: Sandbox.Service) => Effect.Effect<A, E, R>
): Effect.Effect<Option.Option<A>, E, R> =>
  Effect.flatMap(
    Effect.serviceOption(Sandbox.Sandbox),
    Option.match({ onNone: () => Effect.succeedNone, onSome: (it) => Effect.asSome(play(it)) })
  )

/** The wallet to pay from: the sandbox's first of that currency, or MANILLA_WALLET_ID. */
export const wallet = (currency: string) =>
  Effect.gen(function* () {
    const own = yield* onSandbox(({ wallets }) =>
      Effect.map(wallets, (all) => all.find((one) => one.currency === currency)?.id)
    )
    return Option.getOrUndefined(own) ?? (yield* Config.string("MANILLA_WALLET_ID"))
  })

type Services = Layer.Layer.Success<typeof client> | Layer.Layer.Success<typeof Timeline.layer>

/** The credentials are for real money, and the example would spend it on made-up people. */
class NotASandbox extends Data.TaggedError("NotASandbox")<{ readonly message: string }> {}

/** Where the token is for, and not what a variable says, decides. */
const refuseRealMoney = Effect.gen(function* () {
  const { environment } = yield* Effect.flatMap(BearerTokens.BearerTokens, ({ get }) => get)
  if (environment === "SANDBOX") return
  return yield* new NotASandbox({
    message: `This example runs in a sandbox only, and these credentials are for ${environment}. Nothing was done.`
  })
})

interface Options {
  /** It may move real money: it asks whose phone that is, MANILLA_PHONE, before it does. */
  readonly live?: boolean
  /** How its own sandbox is set up. */
  readonly sandbox?: Sandbox.Options
}

/** Runs a program to its end, with a title that says where. */
export const run = <A, E>(
  title: string,
  program: Effect.Effect<A, E, Services>,
  { live = false, sandbox = {} }: Options = {}
): void => {
  const guarded = live ? program : Effect.zipRight(refuseRealMoney, program)
  const titled = Effect.gen(function* () {
    const { baseUrl } = yield* Gateway.config
    const own = yield* Effect.serviceOption(Sandbox.Sandbox)
    const kind = Option.isSome(own) ? "the sandbox" : "the gateway"
    yield* Timeline.title(`${title}, on ${kind} at ${baseUrl}`)
    yield* Effect.provide(guarded, client)
  })
  Effect.gen(function* () {
    const elsewhere = yield* Config.option(Config.string("MANILLA_BASE_URL"))
    yield* Option.isSome(elsewhere) ? titled : Effect.provide(titled, Embedded.layer(sandbox))
  }).pipe(Effect.provide(Timeline.layer), NodeRuntime.runMain({ disablePrettyLogger: true }))
}
