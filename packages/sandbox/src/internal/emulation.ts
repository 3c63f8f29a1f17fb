/**
 * The state and the rules of the service, independent of HTTP, and the controls over them.
 */
import type { ServiceList } from "@manilla/catalogue/AvailableService"
import type * as Operation from "@manilla/core/Operation"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Sandbox from "../Sandbox.js"
import * as ServiceApi from "../ServiceApi.js"
import * as accounts from "./accounts.js"
import * as agenda from "./agenda.js"
import * as cardholders from "./cardholders.js"
import * as cards from "./cards.js"
import * as catalogue from "./catalogue.js"
import * as collections from "./collections.js"
import * as exchanges from "./exchanges.js"
import * as faults from "./faults.js"
import * as identifiers from "./identifiers.js"
import * as ledger from "./ledger.js"
import * as paymentLinks from "./paymentLinks.js"
import * as payments from "./payments.js"
import * as payouts from "./payouts.js"
import type { Refusal } from "./refusal.js"
import * as refunds from "./refunds.js"
import type { Rule } from "./rule.js"
import * as transactions from "./transactions.js"
import * as wallets from "./wallets.js"

export interface Emulation {
  readonly identifiers: identifiers.Identifiers
  readonly accounts: accounts.Accounts
  readonly book: ledger.Book
  readonly wallets: wallets.Wallets
  readonly transactions: transactions.Transactions
  readonly payments: payments.Payments
  readonly payouts: payouts.Payouts
  readonly refunds: refunds.Refunds
  readonly paymentLinks: paymentLinks.PaymentLinks
  readonly cardholders: cardholders.Cardholders
  readonly cards: cards.Cards
  readonly catalogue: ServiceList
  readonly faults: faults.Queue
  readonly exchanges: exchanges.Log
  /** Applies a rule now, after all due events. */
  readonly apply: <A>(rule: Rule<A>) => Effect.Effect<A, Refusal>
  /** Reads the state now, after all due events. */
  readonly look: <A>(read: (nowMillis: number) => A) => Effect.Effect<A>
}

/** The emulation that handles the current request. All emulations share the routes. */
export class Current extends Context.Reference<Current>()("@manilla/sandbox/Emulation", {
  defaultValue: (): Emulation => {
    throw new Error("a request reached the sandbox without an emulation")
  }
}) {}

export const make = (options: Sandbox.Options = {}): Effect.Effect<Emulation> =>
  Effect.gen(function* () {
    const random = options.seed === undefined ? yield* Effect.random : Random.make(options.seed)
    const ids = yield* identifiers.make(random)
    const nowMillis = yield* Clock.currentTimeMillis
    const settleAfterMillis = Duration.toMillis(options.settleAfter ?? "2 seconds")
    const services = options.services ?? catalogue.services

    const events = agenda.make()
    const book = ledger.make()
    const account = accounts.make({
      identifiers: ids,
      scopes: options.scopes ?? scopes,
      tokenLifetime: options.tokenLifetime ?? "1 hour"
    })
    const openedWallets = wallets.make({
      identifiers: ids,
      book,
      nowMillis,
      wallets: options.wallets ?? wallets.defaults
    })
    const transactionLog = transactions.make(ids)
    const holders = cardholders.make(ids, nowMillis)
    // Dependencies that several domains share.
    const shared = {
      identifiers: ids,
      agenda: events,
      book,
      wallets: openedWallets,
      transactions: transactionLog,
      collections: collections.make({ book, wallets: openedWallets, transactions: transactionLog }),
      settleAfterMillis,
      services
    }
    const advance = Effect.map(Clock.currentTimeMillis, (millis) => {
      events.advance(millis)
      return millis
    })
    return {
      identifiers: ids,
      accounts: account,
      book,
      wallets: openedWallets,
      transactions: transactionLog,
      payments: payments.make({
        ...shared,
        accountId: account.accountId,
        applicationId: account.applicationId
      }),
      payouts: payouts.make(shared),
      refunds: refunds.make(shared),
      paymentLinks: paymentLinks.make(shared),
      cardholders: holders,
      cards: cards.make({ ...shared, cardholders: holders }),
      catalogue: { environment: "SANDBOX", services },
      faults: faults.make(),
      exchanges: exchanges.make(options.exchangeCapacity ?? 50_000),
      apply: (rule) => Effect.flatMap(advance, rule),
      look: (read) => Effect.map(advance, read)
    }
  })

/** All scopes that the operations require. */
const scopes: ReadonlyArray<Operation.Scope> = Array.from(
  new Set(Array.from(ServiceApi.operations.values(), ({ access }) => access))
).filter((access) => access !== "bearer" && access !== "credentials")

/** The public interface of a sandbox that is reachable at these URLs. */
export const control = (
  emulation: Emulation,
  urls: Pick<Sandbox.Service, "baseUrl" | "authUrl">
): Sandbox.Service => {
  const { accounts, apply, book, cardholders, cards, exchanges, faults, look } = emulation
  const { paymentLinks, payments, payouts, refunds, transactions, wallets } = emulation
  const command = <A>(rule: Rule<A>) =>
    Effect.mapError(apply(rule), ({ code, message }) => new Sandbox.Refused({ code, message }))
  return {
    ...urls,
    credentials: accounts.credentials,
    rotateSecret: accounts.rotateSecret,
    revokeTokens: accounts.revokeTokens,
    setScopes: accounts.setScopes,
    setStanding: accounts.setStanding,
    paymentIntents: look(payments.all),
    settle: (id, status = "COMPLETED") =>
      look((nowMillis) => payments.settle(id, status, nowMillis)),
    payouts: look(payouts.all),
    settlePayout: (reference, status = "COMPLETED") =>
      look((nowMillis) => payouts.settle(reference, status, nowMillis)),
    transactions: look(transactions.all),
    refund: (transaction, options = {}) => command(refunds.create(transaction, options)),
    paymentLinks: look(paymentLinks.all),
    payLink: (id) => command(paymentLinks.pay(id)),
    cardholders: look(cardholders.all),
    cards: look(cards.all),
    wallets: look(wallets.all),
    ledger: look(book.read),
    exchanges: exchanges.latest,
    faults: { add: faults.add, clear: faults.clear, pending: faults.pending }
  }
}
