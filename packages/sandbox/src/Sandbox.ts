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
import type { Currency } from "@manilla/core/Currency"
import type * as Operation from "@manilla/core/Operation"
import type { WalletId } from "@manilla/core/Wallet"
import type { PaymentLink } from "@manilla/payment-links/PaymentLink"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Calls, IdempotencyChange, LiveRequests } from "./ControlApi.js"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { Exchange } from "./Exchange.js"
import type * as state from "./internal/store/state.js"
import type { Ledger } from "./Ledger.js"
import type * as Profile from "./Profile.js"

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
 * Options of a sandbox. All of them have defaults.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How long a payment intent, a payout or a refund stays `PENDING`. Defaults to 2 seconds. */
  readonly settleAfter?: Duration.DurationInput | undefined
  /** The lifetime of a token. Defaults to 1 hour. */
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
  readonly idempotency?: IdempotencyChange | undefined
  /** How lists are read in pages. Defaults to `pageParameter` and `defaultPerPage`. */
  readonly page?: Profile.Page | undefined
  /**
   * Accepts a service that the catalogue does not list, an invalid phone number, and a magic value that is not
   * listed for its operation, with a warning in `Exchange.warnings`. Defaults to `false`: they are refused with 422,
   * so that a typo does not reach production.
   */
  readonly lenient?: boolean | undefined
  /** How many of the latest exchanges are kept, with up to 64 MiB of bodies. Defaults to 50,000. */
  readonly exchangeCapacity?: number | undefined
  /** Runs at the end of each exchange, before its response is sent. */
  readonly onExchange?: ((exchange: Exchange) => Effect.Effect<void>) | undefined
}

/**
 * The conditions for tokens. While one of them is `false`, no token is issued, and requests with a valid token get
 * 403. Revoking the credential also revokes its tokens, so requests get 401.
 *
 * @since 0.1.0
 * @category models
 */
export interface Standing extends Schema.Schema.Type<typeof state.Standing> {}

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
 * A payment intent as stored, with its idempotency key.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredPaymentIntent extends Schema.Schema.Type<typeof state.PaymentRow> {}

/**
 * A payout as stored, with its idempotency key and the fee that the wallet pays on top of the amount.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredPayout extends Schema.Schema.Type<typeof state.PayoutRow> {}

/**
 * A refund as stored, with its transaction and the wallet that pays it.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredRefund extends Schema.Schema.Type<typeof state.RefundRow> {}

/**
 * A transaction as stored, with the reference of its source: the payment intent, the payment link, the payout
 * or the refund.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredTransaction extends Schema.Schema.Type<typeof state.TransactionRow> {}

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
 * The methods of the `Sandbox` service: the calls of the control API in process, and what only a program in
 * the same process gets, such as complete lists.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends Calls {
  /** The `{base_url}` of the interface, for `Gateway.layer`. */
  readonly baseUrl: string
  /** The `{auth_url}` of the interface, for `Token.layer`. */
  readonly authUrl: string
  /** Replaces the granted scopes, effective from the next request. */
  readonly setScopes: (scopes: ReadonlyArray<Operation.Scope>) => Effect.Effect<void>
  /** Changes the standing of the account. Initially, all of its conditions hold. */
  readonly setStanding: (changes: Partial<Standing>) => Effect.Effect<void>
  /** All payment intents in their current state, in order of creation. */
  readonly paymentIntents: Effect.Effect<ReadonlyArray<StoredPaymentIntent>>
  /** All payouts in their current state, in order of creation. */
  readonly payouts: Effect.Effect<ReadonlyArray<StoredPayout>>
  /** All transactions, in order of completion. */
  readonly transactions: Effect.Effect<ReadonlyArray<StoredTransaction>>
  /** All refunds in their current state, in order of creation. */
  readonly refunds: Effect.Effect<ReadonlyArray<StoredRefund>>
  /** All payment links in their current state, in order of creation. */
  readonly paymentLinks: Effect.Effect<ReadonlyArray<PaymentLink>>
  /** All cardholders. They exist from the start, and are fictitious. */
  readonly cardholders: Effect.Effect<ReadonlyArray<Cardholder>>
  /** All virtual cards, in order of issue. */
  readonly cards: Effect.Effect<ReadonlyArray<Card>>
  /** The ledger: its whole journal and its balances. */
  readonly ledger: Effect.Effect<Ledger>
  /**
   * The latest requests, then those that arrive and end, without an end: at most 10 times per second. A slow
   * reader gets fewer and larger elements.
   */
  readonly liveRequests: Stream.Stream<LiveRequests>
  /** The latest exchanges, oldest first, each with its whole body. */
  readonly exchanges: Effect.Effect<ReadonlyArray<Exchange>>
}

/**
 * The emulated service, as a test sees and controls it.
 *
 * @since 0.1.0
 * @category services
 */
export class Sandbox extends Context.Tag("@manilla/sandbox/Sandbox")<Sandbox, Service>() {}
