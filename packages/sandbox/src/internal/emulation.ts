/**
 * The state and the rules of the service, independent of HTTP, and the controls over them.
 */
import type { ServiceList } from "@manilla/catalogue/AvailableService"
import type * as Operation from "@manilla/core/Operation"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import type * as ControlApi from "../ControlApi.js"
import type * as Outcome from "../Outcome.js"
import type * as Sandbox from "../Sandbox.js"
import * as ServiceApi from "../ServiceApi.js"
import * as outcomes from "./faults/outcomes.js"
import * as faults from "./faults/queue.js"
import * as exchangeLog from "./http/exchangeLog.js"
import * as ledger from "./money/ledger.js"
import * as wallets from "./money/wallets.js"
import * as idempotency from "./rules/idempotency.js"
import * as identifiers from "./rules/identifiers.js"
import type { Rule } from "./rules/refusal.js"
import type * as refusal from "./rules/refusal.js"
import * as accounts from "./service/accounts.js"
import * as cardholders from "./service/cardholders.js"
import * as cards from "./service/cards.js"
import * as catalogue from "./service/catalogue.js"
import type { Core } from "./service/core.js"
import * as paymentLinks from "./service/paymentLinks.js"
import * as payments from "./service/payments.js"
import * as payouts from "./service/payouts.js"
import * as refunds from "./service/refunds.js"
import * as transactions from "./service/transactions.js"
import * as snapshots from "./store/snapshots.js"
import type { State } from "./store/state.js"
import { make as makeState } from "./store/state.js"
import type { Storage } from "./store/storage.js"
import { memory } from "./store/storage.js"
import * as table from "./store/table.js"
import * as agenda from "./time/agenda.js"
import * as sandboxClock from "./time/clock.js"

export interface Emulation extends ReturnType<typeof over> {}

/** The emulation that handles the current request. All emulations share the routes. */
export class Current extends Context.Reference<Current>()("@manilla/sandbox/Emulation", {
  defaultValue: (): Emulation => {
    throw new Error("a request reached the sandbox without an emulation")
  }
}) {}

/** Called when the current request is answered with the stored result of its key. */
export class OnReplay extends Context.Reference<OnReplay>()("@manilla/sandbox/OnReplay", {
  defaultValue: () => () => {}
}) {}

/** The outcome of the current request, if it is one that a rule decides. */
export class Requested extends Context.Reference<Requested>()("@manilla/sandbox/Requested", {
  defaultValue: (): Outcome.Outcome | undefined => undefined
}) {}

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
  readonly restore: (snapshot: ControlApi.Snapshot) => Effect.Effect<void, ControlApi.ControlError>
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
    const options: Shared = { ...given, profile: idempotency.makeProfile(given.idempotency) }
    const initialSeed = yield* identifiers.drawSeed(
      options.seed === undefined ? yield* Effect.random : Random.make(options.seed)
    )
    let current =
      storage.kept === undefined
        ? yield* start(options, initialSeed, storage)
        : over(options, storage.kept)
    const credentials = yield* current.accounts.credentials
    return {
      current: () => current,
      saved: storage.saved,
      reset: (seed) =>
        Effect.gen(function* () {
          const drawn =
            seed === undefined ? initialSeed : yield* identifiers.drawSeed(Random.make(seed))
          const { state: before } = current
          current = yield* start({ ...options, ...credentials }, drawn, storage)
          // Another token for a young one would make the clients back off.
          current.accounts.keepTokens(before, yield* current.clock.nowMillis)
          options.profile.set(options.idempotency ?? {})
        }),
      restore: (snapshot) =>
        Effect.gen(function* () {
          const restored = over(options, yield* snapshots.read(snapshot))
          const nowMillis = yield* restored.clock.nowMillis
          restored.clock.advance(snapshot.now_ms - nowMillis)
          storage.keep(restored.state)
          current = restored
        })
    }
  })

const start = (
  options: Shared,
  seed: identifiers.Seed,
  storage: Storage
): Effect.Effect<Emulation> =>
  Effect.gen(function* () {
    const fresh = makeState()
    fresh.generator.set(identifiers.fromSeed(seed))
    const emulation = over(options, fresh)
    const { accounts, cardholders, clock, wallets: opened } = emulation
    const nowMillis = yield* clock.nowMillis
    accounts.open({
      clientId: options.clientId,
      clientSecret: options.clientSecret,
      scopes: options.scopes ?? scopes
    })
    for (const wallet of options.wallets ?? wallets.defaults) opened.open(wallet, nowMillis)
    cardholders.open(nowMillis)
    storage.keep(fresh)
    return emulation
  })

/** The emulation over a state. */
const over = (options: Shared, parts: State) => {
  const ids = identifiers.make(parts.generator)
  // Not a part of the state: the ids of resources do not depend on how often they are drawn.
  const [high, low] = parts.generator.get()
  const otherIds = identifiers.make(table.makeValue(identifiers.fromSeed({ high, low })))
  const clock = sandboxClock.make(parts.clock)
  const services = options.services ?? catalogue.services
  const events = agenda.make(parts.agenda, parts.planned_events)
  const book = ledger.make({ journal: parts.journal, accounts: parts.ledger_accounts })
  const account = accounts.make({
    account: parts.account,
    tokens: parts.tokens,
    identifiers: ids,
    tokenIdentifiers: otherIds,
    tokenLifetime: options.tokenLifetime ?? "1 hour"
  })
  const openedWallets = wallets.make({ rows: parts.wallets, identifiers: ids, book })
  const transactionLog = transactions.make({
    rows: parts.transactions,
    identifiers: ids,
    book,
    wallets: openedWallets
  })
  const holders = cardholders.make(parts.cardholders, ids)
  const { profile } = options
  let hasReplayed = false
  const usedKeys = {
    usedKeys: parts.idempotency_keys,
    profile,
    onReplay: () => {
      hasReplayed = true
    }
  }
  const core: Core = {
    identifiers: ids,
    agenda: events,
    book,
    wallets: openedWallets,
    transactions: transactionLog,
    keys: (operation) => idempotency.make(usedKeys, operation),
    services,
    settleAfterMillis: Duration.toMillis(options.settleAfter ?? "2 seconds")
  }
  const advance = Effect.map(clock.nowMillis, (millis) => {
    events.advance(millis)
    return millis
  })
  return {
    state: parts,
    clock,
    /** Draws the ids of requests. They are no part of the state. */
    correlationIds: otherIds,
    accounts: account,
    book,
    wallets: openedWallets,
    transactions: transactionLog,
    payments: payments.make(core, parts.payments, account.ids),
    payouts: payouts.make(core, parts.payouts),
    refunds: refunds.make(core, parts.refunds),
    paymentLinks: paymentLinks.make(
      core,
      parts.payment_links,
      (reference) => options.origin() + paymentLinks.checkoutPath(reference)
    ),
    cardholders: holders,
    cards: cards.make(core, parts.cards, holders),
    catalogue: { environment: "SANDBOX", services } satisfies ServiceList,
    profile,
    inFlight: idempotency.makeInFlight(profile),
    outcomes: outcomes.make({ met: parts.met_outcomes, strict: options.strict ?? false }),
    faults: faults.make({ rows: parts.faults, count: parts.added_faults }),
    exchanges: exchangeLog.make({
      clock,
      capacity: options.exchangeCapacity ?? 50_000,
      onEnd: options.onExchange ?? (() => Effect.void)
    }),
    /** Applies a rule now, after all due events. */
    apply: <A>(rule: Rule<A>): Effect.Effect<A, refusal.Refusal> =>
      Effect.zipWith(advance, OnReplay, (millis, onReplay) => {
        hasReplayed = false
        const result = rule(millis)
        if (hasReplayed) onReplay()
        return result
      }).pipe(Effect.flatten),
    /** Reads the state now, after all due events. */
    look: <A>(read: (nowMillis: number) => A) => Effect.map(advance, read)
  }
}

/** All scopes that the operations require. */
const scopes: ReadonlyArray<Operation.Scope> = Array.from(
  new Set(Array.from(ServiceApi.operations.values(), ({ access }) => access))
).filter((access) => access !== "bearer" && access !== "credentials")

/** A payment at the hosted page of a link, which a magic phone number may refuse. */
export const fromPhone =
  <A>({ outcomes: all }: Emulation, phoneNumber: string, pay: Rule<A>): Rule<A> =>
  (nowMillis) =>
    all.ofPhone(phoneNumber, "Payments.create").pipe(
      Either.flatMap(outcomes.check),
      Either.flatMap(() => pay(nowMillis))
    )
