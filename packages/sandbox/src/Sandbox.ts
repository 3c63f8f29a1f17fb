/**
 * The service, emulated: what a test or a person at a terminal can see of it and do to it. Run it
 * with `SandboxClient` in process or with `SandboxServer` on sockets.
 *
 * @since 0.1.0
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import type { IdempotencyKey } from "@manilla/core/IdempotencyKey"
import type * as Operation from "@manilla/core/Operation"
import type * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Exchange } from "./Exchange.js"
import type { Faults } from "./Fault.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How long a payment intent stays `PENDING`; 2 seconds unless set. */
  readonly settleAfter?: Duration.DurationInput | undefined
  /** How long a token lives; 1 hour unless set (interface section 8). */
  readonly tokenLifetime?: Duration.DurationInput | undefined
  /** The scopes granted at first; every scope that an emulated operation needs unless set. */
  readonly scopes?: ReadonlyArray<Operation.Scope> | undefined
  /** The catalogue of services; mobile money of five West African countries unless set. */
  readonly services?: ReadonlyArray<AvailableService> | undefined
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
 * A payment intent as the service keeps it, with the key that it was created under.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredPaymentIntent extends PaymentIntent.CreatedPaymentIntent {
  readonly idempotency_key: IdempotencyKey
}

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
  /** Settles a payment intent now, as `COMPLETED` unless told; says whether there is such an intent. */
  readonly settle: (
    id: PaymentIntent.PaymentIntentId,
    status?: PaymentIntent.Status
  ) => Effect.Effect<boolean>
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
