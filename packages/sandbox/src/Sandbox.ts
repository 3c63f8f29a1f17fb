/**
 * The service, emulated: what a test or a person at a terminal can see of it and do to it. Run it
 * with `SandboxClient` in process or with `SandboxServer` on sockets.
 *
 * @since 0.1.0
 */
import type { Card } from "@manilla/cards/Card"
import type { Cardholder } from "@manilla/cards/Cardholder"
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import type { Amount } from "@manilla/core/Amount"
import type { Country } from "@manilla/core/Country"
import type { Currency } from "@manilla/core/Currency"
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
import type { Exchange } from "./Exchange.js"
import type { Faults } from "./Fault.js"
import type { Ledger } from "./Ledger.js"

/**
 * The query parameter that selects a page of a list. The interface does not show it: this is the
 * sandbox's own choice, for a gateway's `pageParameter`.
 *
 * @since 0.1.0
 * @category constants
 */
export const pageParameter = "page"

/**
 * The rows of a page when a request does not say. The interface does not show it either.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultPerPage = 15

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How long a payment intent, a payout or a refund stays `PENDING`; 2 seconds unless set. */
  readonly settleAfter?: Duration.DurationInput | undefined
  /** How long a token lives; 1 hour unless set (interface section 8). */
  readonly tokenLifetime?: Duration.DurationInput | undefined
  /** The scopes granted at first; every scope that an emulated operation needs unless set. */
  readonly scopes?: ReadonlyArray<Operation.Scope> | undefined
  /** The catalogue of services; mobile money of five West African countries unless set. */
  readonly services?: ReadonlyArray<AvailableService> | undefined
  /** The wallets at first; one each in XOF, XAF, USD and EUR unless set. */
  readonly wallets?: ReadonlyArray<OpeningWallet> | undefined
  /**
   * Draws identifiers, tokens and secrets from a source of their own that starts here. Otherwise
   * they are drawn from the `Random` of the effect that makes the sandbox.
   */
  readonly seed?: string | number | undefined
  /** How many of the latest exchanges are kept; 50,000 unless set. */
  readonly exchangeCapacity?: number | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/**
 * What rule 1 of interface section 5.1 asks of an account. Where one does not hold, no token is
 * issued and no token helps: 403.
 *
 * @since 0.1.0
 * @category models
 */
export interface Standing {
  readonly accountActive: boolean
  readonly kybApproved: boolean
  readonly applicationActive: boolean
  /** A credential that is revoked takes its tokens with it (rule 4): 401. */
  readonly credentialActive: boolean
}

/**
 * A wallet with what is in it at first.
 *
 * @since 0.1.0
 * @category models
 */
export interface OpeningWallet {
  /** Drawn at random unless set. */
  readonly id?: WalletId | undefined
  readonly currency: Currency
  /** The wallet opens empty where this is below zero. */
  readonly balance: Amount
}

/**
 * A wallet with what is in it now.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wallet {
  readonly id: WalletId
  readonly currency: Currency
  /** What can be spent. */
  readonly available: Amount
  /** What is promised to payouts and refunds that have not settled. */
  readonly reserved: Amount
}

/**
 * A payment intent as the service keeps it, with the key that it was created under.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredPaymentIntent extends PaymentIntent.CreatedPaymentIntent {
  readonly idempotency_key: IdempotencyKey
}

/**
 * A payout as the service keeps it, with the key that it was created under.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredPayout extends Payout.CreatedPayout, Payout.Payout {
  readonly idempotency_key: IdempotencyKey
  /** What the wallet pays on top of the amount. */
  readonly fee_amount: Amount
  readonly metadata: Metadata
}

/**
 * A transaction as the service keeps it, with all of its members.
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
 * How much of a transaction to give back, and why.
 *
 * @since 0.1.0
 * @category models
 */
export interface RefundOptions {
  /** Above zero, with at most 4 decimals; all that is left of the transaction unless set. */
  readonly amount?: string | undefined
  readonly reason?: string | undefined
}

/**
 * The sandbox does not do what a control asks: the rules of the service forbid it.
 *
 * @since 0.1.0
 * @category errors
 */
export class Refused extends Data.TaggedError("Refused")<{
  /** As in the error envelope: `INSUFFICIENT_FUNDS`. */
  readonly code: string
  readonly message: string
}> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** `{base_url}` of the interface, for `Gateway.layer`. */
  readonly baseUrl: string
  /** `{auth_url}` of the interface, for `Token.layer`. */
  readonly authUrl: string
  /** The credentials that are valid now. */
  readonly credentials: Effect.Effect<Credentials>
  /** Gives the credential a new secret. The old one and its tokens are refused at once. */
  readonly rotateSecret: Effect.Effect<Credentials>
  /** Invalidates every token at once; new ones can be had. */
  readonly revokeTokens: Effect.Effect<void>
  /** Grants these scopes and no others, from the following requests on. */
  readonly setScopes: (scopes: ReadonlyArray<Operation.Scope>) => Effect.Effect<void>
  /** Changes the standing of the account, the application or the credential: all good at first. */
  readonly setStanding: (changes: Partial<Standing>) => Effect.Effect<void>
  /** Every payment intent, in the order of creation, as it is now. */
  readonly paymentIntents: Effect.Effect<ReadonlyArray<StoredPaymentIntent>>
  /**
   * Settles a payment intent now, as `COMPLETED` unless told; says whether there is such an intent
   * that is `PENDING`. Money moves only when it is `COMPLETED`.
   */
  readonly settle: (
    id: PaymentIntent.PaymentIntentId,
    status?: PaymentIntent.Status
  ) => Effect.Effect<boolean>
  /** Every payout, in the order of creation, as it is now. */
  readonly payouts: Effect.Effect<ReadonlyArray<StoredPayout>>
  /**
   * Settles a payout now, as `COMPLETED` unless told; says whether there is such a payout that is
   * `PENDING`. As anything else, such as `FAILED`, it gives the money back to the wallet.
   */
  readonly settlePayout: (
    reference: Payout.PayoutReference,
    status?: Payout.Status
  ) => Effect.Effect<boolean>
  /** Every transaction, in the order of completion. */
  readonly transactions: Effect.Effect<ReadonlyArray<StoredTransaction>>
  /**
   * Gives a collected transaction back to its payer, from the wallet that it was paid into. The fee
   * is not given back. The interface does not show how a refund is asked for.
   */
  readonly refund: (
    transaction: Transaction.TransactionReference,
    options?: RefundOptions
  ) => Effect.Effect<Refund, Refused>
  /** Every payment link, in the order of creation, as it is now. */
  readonly paymentLinks: Effect.Effect<ReadonlyArray<PaymentLink.PaymentLink>>
  /** A payer pays at the hosted page of a payment link: the money is collected at once. */
  readonly payLink: (id: PaymentLink.PaymentLinkId) => Effect.Effect<StoredTransaction, Refused>
  /** Every cardholder: they are there from the start, and nobody among them exists. */
  readonly cardholders: Effect.Effect<ReadonlyArray<Cardholder>>
  /** Every virtual card, in the order of issue. */
  readonly cards: Effect.Effect<ReadonlyArray<Card>>
  /** Every wallet with what is in it now, in the order of opening. */
  readonly wallets: Effect.Effect<ReadonlyArray<Wallet>>
  /** The books: what moved, and where everything stands. */
  readonly ledger: Effect.Effect<Ledger>
  /** The latest exchanges, oldest first. */
  readonly exchanges: Effect.Effect<ReadonlyArray<Exchange>>
  /** What is to go wrong next. */
  readonly faults: Faults
}

/**
 * @since 0.1.0
 * @category services
 */
export class Sandbox extends Context.Tag("@manilla/sandbox/Sandbox")<Sandbox, Service>() {}
