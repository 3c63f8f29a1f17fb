/**
 * The emulated service: its state, and controls over it. Run it in process with `SandboxClient` or on
 * sockets with `SandboxServer`.
 *
 * @since 0.1.0
 */
import type { Card } from "@manilla/cards/Card"
import type { Cardholder } from "@manilla/cards/Cardholder"
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import type { Amount } from "@manilla/core/Amount"
import type { Country } from "@manilla/core/Country"
import type { Currency } from "@manilla/core/Currency"
import type { Issue } from "@manilla/core/Errors"
import type { IdempotencyKey } from "@manilla/core/IdempotencyKey"
import type { Metadata } from "@manilla/core/Metadata"
import type * as Operation from "@manilla/core/Operation"
import type { WalletId } from "@manilla/core/Wallet"
import type * as PaymentLink from "@manilla/payment-links/PaymentLink"
import type * as PaymentIntent from "@manilla/payments/PaymentIntent"
import type * as Payout from "@manilla/payouts/Payout"
import type { Refund } from "@manilla/refunds/Refund"
import type * as Transaction from "@manilla/transactions/Transaction"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { Changes, Exchange } from "./Exchange.js"
import type { Ledger } from "./Ledger.js"
import type { FaultRule, PendingFault } from "./Outcome.js"

/**
 * The query parameter that selects a page of a list. The interface does not document one, so this is
 * the sandbox's choice. Use it as the `pageParameter` of a gateway.
 *
 * @since 0.1.0
 * @category constants
 */
export const pageParameter = "page"

/**
 * The default page size. The interface does not document one either.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultPerPage = 15

/**
 * How idempotency keys behave where the interface does not say it. A client is safe with the service
 * only if it is safe with every combination.
 *
 * @since 0.1.0
 * @category models
 */
export interface IdempotencyProfile {
  /** The answer to a known key with another request: a status, or the first result. Defaults to 422. */
  readonly otherBody?: 422 | 409 | "replay" | undefined
  /**
   * The answer to a key whose first request is not answered yet: 409, the result as soon as that is
   * answered (`"wait"`), or the result at once (`"replay"`). Defaults to `"replay"`.
   */
  readonly inFlight?: 409 | "wait" | "replay" | undefined
  /** Whether a refused request uses up its key, and is refused again. Defaults to `"again"`: it is not. */
  readonly failures?: "replay" | "again" | undefined
  /** How long a key is known. Defaults to for ever. */
  readonly retention?: Duration.DurationInput | undefined
}

/**
 * A profile with all of its settings.
 *
 * @since 0.1.0
 * @category models
 */
export interface CurrentIdempotencyProfile {
  readonly otherBody: NonNullable<IdempotencyProfile["otherBody"]>
  readonly inFlight: NonNullable<IdempotencyProfile["inFlight"]>
  readonly failures: NonNullable<IdempotencyProfile["failures"]>
  /** Infinite if keys are known for ever. */
  readonly retention: Duration.Duration
}

/**
 * Options of a sandbox. All of them have defaults.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How long a payment intent, a payout or a refund stays `PENDING`. Defaults to 2 seconds. */
  readonly settleAfter?: Duration.DurationInput | undefined
  /** The lifetime of a token. Defaults to 1 hour (interface section 8). */
  readonly tokenLifetime?: Duration.DurationInput | undefined
  /** The scopes granted initially. Defaults to all scopes that the emulated operations require. */
  readonly scopes?: ReadonlyArray<Operation.Scope> | undefined
  /** The catalogue of services. Defaults to mobile money in five West African countries. */
  readonly services?: ReadonlyArray<AvailableService> | undefined
  /** The initial wallets. Defaults to one each in XOF, XAF, USD and EUR. */
  readonly wallets?: ReadonlyArray<OpeningWallet> | undefined
  /**
   * The seed for identifiers, tokens and secrets. Defaults to a seed drawn from the `Random` service
   * of the effect that makes the sandbox.
   */
  readonly seed?: string | number | undefined
  /** The client id. Defaults to a random one. */
  readonly clientId?: string | undefined
  /** The client secret, until it is rotated. Defaults to a random one. */
  readonly clientSecret?: Redacted.Redacted | undefined
  /** How idempotency keys behave where the interface does not say it. */
  readonly idempotency?: IdempotencyProfile | undefined
  /**
   * Whether a magic phone number or amount is refused if it is not listed for its operation. Otherwise it
   * is like any other. Defaults to `false`.
   */
  readonly strict?: boolean | undefined
  /** How many of the latest exchanges are kept, with up to 64 MiB of bodies. Defaults to 50,000. */
  readonly exchangeCapacity?: number | undefined
  /** Runs at the end of each exchange, before its response is sent. */
  readonly onExchange?: ((exchange: Exchange) => Effect.Effect<void>) | undefined
}

/**
 * The client credentials of the sandbox's only application.
 *
 * @since 0.1.0
 * @category models
 */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/**
 * The conditions of rule 1 in interface section 5.1. While one of them is `false`, no token is issued,
 * and requests with a valid token get 403.
 *
 * @since 0.1.0
 * @category models
 */
export interface Standing {
  readonly accountActive: boolean
  readonly kybApproved: boolean
  readonly applicationActive: boolean
  /** Revoking the credential also revokes its tokens (rule 4), so requests get 401. */
  readonly credentialActive: boolean
}

/**
 * A wallet with its opening balance.
 *
 * @since 0.1.0
 * @category models
 */
export interface OpeningWallet {
  /** Defaults to a random id. */
  readonly id?: WalletId | undefined
  readonly currency: Currency
  /** A negative balance opens an empty wallet. */
  readonly balance: Amount
}

/**
 * A wallet with its current balances.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wallet {
  readonly id: WalletId
  readonly currency: Currency
  /** Funds that can be spent. */
  readonly available: Amount
  /** Funds reserved for payouts and refunds that have not settled. */
  readonly reserved: Amount
}

/**
 * A payment intent as stored, with its idempotency key.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredPaymentIntent extends PaymentIntent.CreatedPaymentIntent {
  readonly idempotency_key: IdempotencyKey
}

/**
 * A payout as stored, with its idempotency key.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredPayout extends Payout.CreatedPayout, Payout.Payout {
  readonly idempotency_key: IdempotencyKey
  /** The fee that the wallet pays on top of the amount. */
  readonly fee_amount: Amount
  readonly metadata: Metadata
}

/**
 * A transaction as stored, with all its members.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredTransaction extends Transaction.TransactionDetail {
  /** The reference of the payment intent, the payment link, the payout or the refund. */
  readonly source: string
  readonly fee_amount: Amount
  readonly net_amount: Amount
  readonly country: Country
  readonly metadata: Metadata
}

/**
 * The amount and the reason of a refund.
 *
 * @since 0.1.0
 * @category models
 */
export interface RefundOptions {
  /** Greater than zero, with at most 4 decimals. Defaults to the rest of the transaction. */
  readonly amount?: string | undefined
  readonly reason?: string | undefined
}

/**
 * The version of {@link Snapshot}. It changes when a sandbox cannot read the snapshots of an earlier one.
 *
 * @since 0.1.0
 * @category constants
 */
export const snapshotVersion = 1

/** Timestamps have years of four digits. A restored clock goes on, and plans what is due later. */
const latestMillis = Date.UTC(9900, 0) - 1

/**
 * The state of a sandbox: identifiers, credentials and tokens, the clock and what it will settle,
 * idempotency keys, faults, wallets, the ledger and all resources. The options of the sandbox and its log
 * of requests are no part of it. It contains secrets and phone numbers in plain text.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Snapshot = Schema.Struct({
  format: Schema.Literal("manilla-sandbox"),
  version: Schema.Int,
  /** The sandbox's time, in milliseconds since 1970, before the year 9900. */
  now_ms: Schema.JsonNumber.pipe(
    Schema.between(0, latestMillis, { description: `a number from 0 to ${latestMillis}` })
  ),
  state: Schema.Record({ key: Schema.String, value: Schema.Unknown })
}).annotations({ identifier: "Snapshot" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Snapshot extends Schema.Schema.Type<typeof Snapshot> {}

/**
 * The file of the option `data` of `SandboxServer` cannot be used. It is left as it is.
 *
 * @since 0.1.0
 * @category errors
 */
export class DataError extends Data.TaggedError("DataError")<{
  readonly path: string
  /** Such as `line 7 is damaged`. */
  readonly reason: string
}> {
  override get message(): string {
    return `The data file ${this.path} is not used: ${this.reason}.`
  }
}

/**
 * A control was refused, because a rule of the service forbids it.
 *
 * @since 0.1.0
 * @category errors
 */
export class Refused extends Data.TaggedError("Refused")<{
  /** A code as in the error envelope, such as `INSUFFICIENT_FUNDS`. */
  readonly code: string
  readonly message: string
  /** The fields and rules that the control violated. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/**
 * The methods of the `Sandbox` service: they read and control the emulated service.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** The `{base_url}` of the interface, for `Gateway.layer`. */
  readonly baseUrl: string
  /** The `{auth_url}` of the interface, for `Token.layer`. */
  readonly authUrl: string
  /** The address of the control API, without its path `/_sandbox`. */
  readonly controlUrl: string
  /**
   * Restores the initial state, credentials and idempotency profile: no requests, faults or resources, and
   * the opening balances. Without a seed, identifiers repeat as well. The tokens of the initial
   * credentials stay valid, so that tests can share one client.
   */
  readonly reset: (seed?: string | number) => Effect.Effect<void>
  /** How idempotency keys behave now. */
  readonly idempotency: Effect.Effect<CurrentIdempotencyProfile>
  /** Changes how idempotency keys behave from the next request. A setting that is left out has its default. */
  readonly setIdempotency: (profile: IdempotencyProfile) => Effect.Effect<void>
  /** The current state. */
  readonly snapshot: Effect.Effect<Snapshot>
  /**
   * Replaces the state by that of a snapshot, and sets the clock back to its time. The log of requests
   * starts again. A snapshot that is damaged or of another version is refused, and changes nothing.
   */
  readonly restore: (snapshot: Snapshot) => Effect.Effect<void, Refused>
  /** The sandbox's time: the `Clock`, plus all advances. */
  readonly nowMillis: Effect.Effect<number>
  /**
   * Advances the sandbox's time, and runs what becomes due: settlements, and the expiry of tokens and
   * links. Returns the new time. Advances are limited to 100 years in all. Delays of faults take real time.
   */
  readonly advance: (duration: Duration.DurationInput) => Effect.Effect<number, Refused>
  /** The current credentials. */
  readonly credentials: Effect.Effect<Credentials>
  /** Replaces the client secret. The old secret and its tokens are refused at once. */
  readonly rotateSecret: Effect.Effect<Credentials>
  /** Revokes all tokens. New ones can be requested. */
  readonly revokeTokens: Effect.Effect<void>
  /** Replaces the granted scopes, effective from the next request. */
  readonly setScopes: (scopes: ReadonlyArray<Operation.Scope>) => Effect.Effect<void>
  /** Changes the standing of the account. Initially, all of its conditions hold. */
  readonly setStanding: (changes: Partial<Standing>) => Effect.Effect<void>
  /** All payment intents in their current state, in order of creation. */
  readonly paymentIntents: Effect.Effect<ReadonlyArray<StoredPaymentIntent>>
  /**
   * Settles a `PENDING` payment intent now, by default as `COMPLETED`. Returns `false` if no such intent
   * is `PENDING`. Money moves only on `COMPLETED`.
   */
  readonly settle: (
    id: PaymentIntent.PaymentIntentId,
    status?: PaymentIntent.Status
  ) => Effect.Effect<boolean>
  /** All payouts in their current state, in order of creation. */
  readonly payouts: Effect.Effect<ReadonlyArray<StoredPayout>>
  /**
   * Settles a `PENDING` payout now, by default as `COMPLETED`. Returns `false` if no such payout is
   * `PENDING`. Any other status, such as `FAILED`, returns the funds to the wallet.
   */
  readonly settlePayout: (
    reference: Payout.PayoutReference,
    status?: Payout.Status
  ) => Effect.Effect<boolean>
  /** All transactions, in order of completion. */
  readonly transactions: Effect.Effect<ReadonlyArray<StoredTransaction>>
  /**
   * Refunds a collected transaction to its payer, from the wallet that received it. The fee is not
   * refunded. The interface does not document how to request a refund.
   */
  readonly refund: (
    transaction: Transaction.TransactionReference,
    options?: RefundOptions
  ) => Effect.Effect<Refund, Refused>
  /** All refunds in their current state, in order of creation. */
  readonly refunds: Effect.Effect<ReadonlyArray<Refund>>
  /** All payment links in their current state, in order of creation. */
  readonly paymentLinks: Effect.Effect<ReadonlyArray<PaymentLink.PaymentLink>>
  /**
   * Simulates a payer at the hosted page of a payment link. The money is collected at once, unless the
   * phone number is a magic one that is refused.
   */
  readonly payLink: (
    id: PaymentLink.PaymentLinkId,
    phoneNumber?: string
  ) => Effect.Effect<StoredTransaction, Refused>
  /** All cardholders. They exist from the start, and are fictitious. */
  readonly cardholders: Effect.Effect<ReadonlyArray<Cardholder>>
  /** All virtual cards, in order of issue. */
  readonly cards: Effect.Effect<ReadonlyArray<Card>>
  /** All wallets with their current balances, in order of opening. */
  readonly wallets: Effect.Effect<ReadonlyArray<Wallet>>
  /** The ledger: its journal and balances. */
  readonly ledger: Effect.Effect<Ledger>
  /** The latest exchanges, oldest first. */
  readonly exchanges: Effect.Effect<ReadonlyArray<Exchange>>
  /**
   * The latest exchanges first, then changes as they happen, at most 10 times per second. Without changes,
   * it waits. It reads the log and keeps no queue, so a slow reader gets fewer and larger elements.
   */
  readonly exchangeChanges: Stream.Stream<Changes>
  /** The queue of scripted faults. */
  readonly faults: {
    readonly add: (rule: FaultRule) => Effect.Effect<PendingFault>
    /** Removes a fault. Returns `false` if no pending fault has this id. */
    readonly remove: (id: string) => Effect.Effect<boolean>
    readonly clear: Effect.Effect<void>
    /** The faults that are not used up. */
    readonly pending: Effect.Effect<ReadonlyArray<PendingFault>>
  }
}

/**
 * The emulated service, as a test sees and controls it.
 *
 * @since 0.1.0
 * @category services
 */
export class Sandbox extends Context.Tag("@manilla/sandbox/Sandbox")<Sandbox, Service>() {}
