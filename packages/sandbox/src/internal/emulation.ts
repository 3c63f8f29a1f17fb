/**
 * The state and the rules of the service, independent of HTTP, and the controls over them.
 */
import type * as Operation from "@manilla/core/Operation"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import type * as ControlApi from "../ControlApi.js"
import type * as Sandbox from "../Sandbox.js"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as scenarioFinder from "./faults/scenarios.js"
import * as faults from "./faults/queue.js"
import * as exchangeLog from "./http/exchangeLog.js"
import * as ledger from "./money/ledger.js"
import * as wallets from "./money/wallets.js"
import * as idempotency from "./rules/idempotency.js"
import * as pages from "./rules/pages.js"
import * as refusal from "./rules/refusal.js"
import * as accountService from "./service/accounts.js"
import * as cardholderService from "./service/cardholders.js"
import * as cardService from "./service/cards.js"
import * as catalogue from "./service/catalogue.js"
import * as cores from "./service/core.js"
import type { Handlers } from "./service/core.js"
import * as paymentLinkService from "./service/paymentLinks.js"
import * as paymentService from "./service/payments.js"
import * as payoutService from "./service/payouts.js"
import * as refundService from "./service/refunds.js"
import * as transactionService from "./service/transactions.js"
import * as identifiers from "./store/identifiers.js"
import * as states from "./store/state.js"
import type { State } from "./store/state.js"
import { memory, type Storage } from "./store/storage.js"

export interface Emulation extends ReturnType<typeof emulationOf> {}

/** An emulation that can start again. */
export interface Restartable {
  readonly current: () => Emulation
  /** Waits until all changes until now are kept. */
  readonly saved: Storage["saved"]
  /**
   * Replaces the emulation by one in its initial state, with the initial credentials and their tokens.
   * Without a seed, it has the same identifiers as well.
   */
  readonly reset: (seed?: string | number) => Effect.Effect<void>
  /** Replaces the emulation by one with this state, if it is one. */
  readonly restore: (snapshot: ControlApi.Snapshot) => Effect.Effect<void, refusal.Refusal>
}

export interface Options extends Sandbox.Options {
  /** The origin of the main port. Links have its address for their hosted page. */
  readonly origin: () => string
}

/** The profile is no part of the state, so every emulation has the same. */
interface Shared extends Options {
  readonly profile: idempotency.Profile
}

export const make = (given: Options, storage: Storage = memory): Effect.Effect<Restartable> =>
  Effect.gen(function* () {
    const options: Shared = {
      ...given,
      profile: { current: { ...idempotency.defaults, ...given.idempotency } }
    }
    const initial = yield* identifiers.drawGenerator(
      options.seed === undefined ? yield* Effect.random : Random.make(options.seed)
    )
    let current =
      storage.kept === undefined
        ? yield* start(options, initial, storage)
        : emulationOf(options, storage.kept)
    const { client_id: clientId, client_secret: clientSecret } = current.accounts.credentials()
    return {
      current: () => current,
      saved: storage.saved,
      reset: (seed) =>
        Effect.gen(function* () {
          const drawn =
            seed === undefined ? initial : yield* identifiers.drawGenerator(Random.make(seed))
          const { state: before } = current
          current = yield* start({ ...options, clientId, clientSecret }, drawn, storage)
          // Another token for a young one would make the clients back off.
          current.accounts.keepTokens(before, yield* current.nowMillis)
          options.profile.current = { ...idempotency.defaults, ...options.idempotency }
        }),
      restore: (snapshot) =>
        Effect.gen(function* () {
          const state = yield* stateOf(snapshot)
          state.clock.set(snapshot.now_ms - (yield* Clock.currentTimeMillis))
          storage.keep(state)
          current = emulationOf(options, state)
        })
    }
  })

const start = (
  options: Shared,
  generator: identifiers.Generator,
  storage: Storage
): Effect.Effect<Emulation> =>
  Effect.gen(function* () {
    const state = states.make()
    state.generator.set(generator)
    const emulation = emulationOf(options, state)
    const { accounts, cardholders, wallets: opened } = emulation
    const nowMillis = yield* emulation.nowMillis
    accounts.open(options, options.scopes ?? allScopes)
    for (const wallet of options.wallets ?? wallets.defaults) opened.open(wallet, nowMillis)
    cardholders.open(nowMillis)
    storage.keep(state)
    return emulation
  })

/** The state of a snapshot, or why it cannot be read. */
const stateOf = ({ state, version }: ControlApi.Snapshot): Either.Either<State, refusal.Refusal> =>
  version === states.version
    ? states.decode(state).pipe(
        Either.filterOrLeft(ledger.isSound, () => [unsound]),
        Either.mapLeft((issues) => refusal.of("SNAPSHOT_INVALID", { issues }))
      )
    : refusal.because("SNAPSHOT_VERSION", "version", `must be ${states.version}`)

const unsound = {
  field: "state.ledger_accounts",
  rule: "must have the balances of the journal, whose entries balance"
}

/** The emulation of a state. */
const emulationOf = (options: Shared, state: State) => {
  const { origin, profile, services = catalogue.services, lenient = false } = options
  const generator = state.generator.current()
  const ids = identifiers.make(generator, (next) => state.generator.set(next))
  // Not a part of the state: the ids of resources do not depend on how often they are drawn.
  const otherIds = identifiers.make(identifiers.generatorOf(generator))
  const nowMillis = Effect.map(Clock.currentTimeMillis, (millis) => millis + state.clock.current())
  const settleAfterMillis = Duration.toMillis(options.settleAfter ?? "2 seconds")
  const core = cores.make(state, ids, { profile, services, settleAfterMillis, lenient })
  const accounts = accountService.make(state, ids, otherIds, options.tokenLifetime ?? "1 hour")
  const transactions = transactionService.make(core)
  const cardholders = cardholderService.make(state, ids)
  const scenarios = scenarioFinder.make(state, lenient)
  const payments = paymentService.make(core, transactions, accounts)
  const payouts = payoutService.make(core, transactions)
  const refunds = refundService.make(core, transactions)
  const paymentLinks = paymentLinkService.make(core, transactions, scenarios, origin)
  const handlers: Handlers<ServiceApi.OperationName> = {
    ...payments.handlers,
    ...transactions.handlers,
    ...payouts.handlers,
    ...refunds.handlers,
    ...paymentLinks.handlers,
    ...cardService.make(core, cardholders).handlers,
    ...cardholders.handlers,
    "Catalogue.list": () => Either.right({ environment: "SANDBOX", services }),
    ...accounts.handlers
  }
  /** Decides or reads now, after all due events, in one step: concurrent requests cannot interleave. */
  const look = <A>(read: (nowMillis: number) => A): Effect.Effect<A> =>
    Effect.map(nowMillis, (millis) => {
      core.agenda.advance(millis)
      return read(millis)
    })
  return {
    ...core,
    nowMillis,
    /** Draws the ids of requests. They are no part of the state. */
    correlationIds: otherIds,
    handlers,
    pageNames: pages.named(options.page),
    accounts,
    payments,
    payouts,
    refunds,
    paymentLinks,
    cardholders,
    inFlight: idempotency.makeInFlight(profile),
    scenarios,
    faults: faults.make(state),
    exchanges: exchangeLog.make({
      nowMillis,
      capacity: options.exchangeCapacity ?? 50_000,
      onEnd: options.onExchange ?? (() => Effect.void)
    }),
    look
  }
}

/** All scopes that the operations require. */
const allScopes: ReadonlyArray<Operation.Scope> = Array.from(
  new Set(Array.from(ServiceApi.operations.values(), ({ access }) => access))
).filter((access) => access !== "bearer" && access !== "credentials")
