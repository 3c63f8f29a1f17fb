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
import * as Stream from "effect/Stream"
import type * as Exchange from "../Exchange.js"
import type * as Outcome from "../Outcome.js"
import * as Sandbox from "../Sandbox.js"
import * as ServiceApi from "../ServiceApi.js"
import * as outcomes from "./faults/outcomes.js"
import * as faults from "./faults/queue.js"
import * as exchangeLog from "./http/exchangeLog.js"
import * as ledger from "./money/ledger.js"
import * as wallets from "./money/wallets.js"
import * as idempotency from "./rules/idempotency.js"
import * as identifiers from "./rules/identifiers.js"
import type { Rule } from "./rules/refusal.js"
import * as refusal from "./rules/refusal.js"
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
  readonly restore: (snapshot: Sandbox.Snapshot) => Effect.Effect<void, Sandbox.Refused>
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

/** The largest sum of advances: timestamps have years of four digits. */
const maxAdvanceMillis = Duration.toMillis(Duration.days(36_525))

/** The public interface of a sandbox that is reachable at these URLs. */
export const control = (
  { current, reset, restore }: Restartable,
  urls: Pick<Sandbox.Service, "baseUrl" | "authUrl" | "controlUrl">
): Sandbox.Service => {
  const use = <A, E>(effect: (emulation: Emulation) => Effect.Effect<A, E>) =>
    Effect.suspend(() => effect(current()))
  const look = <A>(read: (emulation: Emulation, nowMillis: number) => A) =>
    use((emulation) => emulation.look((nowMillis) => read(emulation, nowMillis)))
  const command = <A>(rule: (emulation: Emulation) => Rule<A>) =>
    use((emulation) => emulation.apply(rule(emulation))).pipe(Effect.mapError(refusedBy))
  return {
    ...urls,
    reset,
    idempotency: use(({ profile }) => Effect.sync(profile.get)),
    setIdempotency: (next) => use(({ profile }) => Effect.sync(() => profile.set(next))),
    snapshot: look(({ state }, nowMillis) => snapshots.make(state, nowMillis)),
    restore,
    nowMillis: look((_, nowMillis) => nowMillis),
    advance: (duration) => command(({ clock }) => advanced(clock, Duration.toMillis(duration))),
    credentials: use(({ accounts }) => accounts.credentials),
    rotateSecret: use(({ accounts }) => accounts.rotateSecret),
    revokeTokens: use(({ accounts }) => accounts.revokeTokens),
    setScopes: (scopes) => use(({ accounts }) => accounts.setScopes(scopes)),
    setStanding: (changes) => use(({ accounts }) => accounts.setStanding(changes)),
    paymentIntents: look(({ payments }) => payments.all()),
    settle: (id, status = "COMPLETED") =>
      look(({ payments }, nowMillis) => payments.settle(id, status, nowMillis)),
    payouts: look(({ payouts }) => payouts.all()),
    settlePayout: (reference, status = "COMPLETED") =>
      look(({ payouts }, nowMillis) => payouts.settle(reference, status, nowMillis)),
    transactions: look(({ transactions }) => transactions.all()),
    refund: (transaction, options = {}) =>
      command(({ refunds }) => refunds.create(transaction, options)),
    refunds: look(({ refunds }) => refunds.all()),
    paymentLinks: look(({ paymentLinks }) => paymentLinks.all()),
    payLink: (id, phoneNumber = "") =>
      command((emulation) => fromPhone(emulation, phoneNumber, emulation.paymentLinks.pay(id))),
    cardholders: look(({ cardholders }) => cardholders.all()),
    cards: look(({ cards }) => cards.all()),
    wallets: look(({ wallets }) => wallets.all()),
    ledger: look(({ book }) => book.read()),
    exchanges: use(({ exchanges }) => exchanges.latest),
    exchangeChanges: changes(current),
    faults: {
      add: (rule) => use(({ faults }) => faults.add(rule)),
      remove: (id) => use(({ faults }) => faults.remove(id)),
      clear: use(({ faults }) => faults.clear),
      pending: use(({ faults }) => faults.pending)
    }
  }
}

/** A payment at the hosted page of a link, which a magic phone number may refuse. */
export const fromPhone =
  <A>({ outcomes: all }: Emulation, phoneNumber: string, pay: Rule<A>): Rule<A> =>
  (nowMillis) =>
    all.ofPhone(phoneNumber, "Payments.create").pipe(
      Either.flatMap(outcomes.check),
      Either.flatMap(() => pay(nowMillis))
    )

/** The part of the log that a reader has seen. */
interface Seen {
  readonly log: exchangeLog.Log
  readonly version: number
}

const maxChanges = 1000

const changes = (current: () => Emulation): Stream.Stream<Exchange.Changes> => {
  const read = (seen: Seen | undefined): Effect.Effect<readonly [Exchange.Changes, Seen]> =>
    Effect.suspend(() => {
      const { exchanges: log } = current()
      const version = log.version()
      const reset = seen !== undefined && seen.log !== log
      const known = seen === undefined || reset ? 0 : seen.version
      if (seen !== undefined && !reset && known === version) return readLater(seen)
      const exchanges = log.changedAfter(known, maxChanges)
      return Effect.succeed([
        { reset, exchanges },
        { log, version }
      ])
    })
  const readLater = (seen: Seen) => Effect.delay(read(seen), "100 millis")
  return Stream.unfoldEffect<Seen | undefined, Exchange.Changes, never, never>(undefined, (seen) =>
    Effect.asSome(seen === undefined ? read(seen) : readLater(seen))
  )
}

const refusedBy = ({ code, issues = [], message }: refusal.Refusal) =>
  new Sandbox.Refused({ code, message, issues })

const advanced =
  (clock: sandboxClock.SandboxClock, millis: number): Rule<number> =>
  (nowMillis) => {
    if (clock.advancedMillis() + millis > maxAdvanceMillis) return Either.left(tooFar)
    clock.advance(millis)
    return Either.right(nowMillis + millis)
  }

const tooFar = refusal.other(
  "CLOCK_TOO_FAR",
  "The clock cannot be advanced by more than 100 years.",
  [{ field: "seconds", rule: "must keep the sum of all advances within 100 years" }]
)
