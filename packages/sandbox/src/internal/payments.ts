/**
 * Payment intents and their idempotency keys (interface sections 2.2, 4.1 and 4.2).
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import type { IdempotencyKey } from "@manilla/core/IdempotencyKey"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Either from "effect/Either"
import * as Struct from "effect/Struct"
import type { StoredPaymentIntent } from "../Sandbox.js"
import type { Agenda } from "./agenda.js"
import * as catalogue from "./catalogue.js"
import type { Collected, Collections } from "./collections.js"
import * as idempotency from "./idempotency.js"
import type { Identifiers } from "./identifiers.js"
import * as moment from "./moment.js"
import * as money from "./money.js"
import * as refusal from "./refusal.js"
import type { Rule } from "./rule.js"

export interface Options {
  readonly identifiers: Identifiers
  readonly agenda: Agenda
  readonly collections: Collections
  readonly accountId: string
  readonly applicationId: string
  readonly settleAfterMillis: number
  /** Called when a key returns a stored result. */
  readonly onReplay: () => void
  readonly services: ReadonlyArray<AvailableService>
}

export interface Payments {
  readonly create: (
    request: PaymentIntent.PaymentIntentRequest,
    key: IdempotencyKey
  ) => Rule<PaymentIntent.CreatedPaymentIntent>
  readonly get: (id: PaymentIntent.PaymentIntentId) => Rule<PaymentIntent.PaymentIntent>
  readonly all: () => ReadonlyArray<StoredPaymentIntent>
  /** Settles an intent. Returns `false` if no such intent is PENDING. */
  readonly settle: (
    id: PaymentIntent.PaymentIntentId,
    status: PaymentIntent.Status,
    nowMillis: number
  ) => boolean
}

interface Stored {
  /** The response to the creation, which is repeated for its key. */
  readonly created: PaymentIntent.CreatedPaymentIntent
  readonly movement: Collected
  current: StoredPaymentIntent
}

export const make = (options: Options): Payments => {
  const { agenda, collections, identifiers, services, settleAfterMillis } = options
  const byId = new Map<string, Stored>()
  const keys = idempotency.make<Stored>(options.onReplay)

  const settle = (stored: Stored, atMillis: number, status: PaymentIntent.Status) => {
    if (stored.current.status !== "PENDING" || status === "PENDING") return false
    const settled = status === "COMPLETED" ? complete(stored, atMillis) : status
    stored.current = { ...stored.current, status: settled, updated_at: moment.fromMillis(atMillis) }
    return true
  }

  /** The interface describes only these two operations. Others move no money. */
  const complete = ({ movement }: Stored, atMillis: number): PaymentIntent.Status => {
    if (movement.operation !== "COLLECTION" && movement.operation !== "DEPOSIT") return "COMPLETED"
    return Either.isRight(collections.collect(atMillis, movement)) ? "COMPLETED" : "FAILED"
  }

  const add = (
    request: PaymentIntent.PaymentIntentRequest,
    key: IdempotencyKey,
    nowMillis: number
  ): Stored => {
    const now = moment.fromMillis(nowMillis)
    const reference = PaymentIntent.PaymentIntentReference.make(identifiers.reference("PAY"))
    const echoed = {
      country: Country.Country.make(request.country),
      amount: money.fixed(request.amount),
      currency: Currency.Currency.make(request.currency),
      operation: request.operation,
      metadata: request.metadata ?? {}
    }
    const created: PaymentIntent.CreatedPaymentIntent = {
      ...echoed,
      id: PaymentIntent.PaymentIntentId.make(identifiers.uuid()),
      reference,
      account_id: options.accountId,
      application_id: options.applicationId,
      payment_method: request.payment_method,
      environment: "SANDBOX",
      description: request.description ?? null,
      status: "PENDING",
      expires_at:
        typeof request.expires_at === "string" ? moment.fromInput(request.expires_at) : null,
      created_at: now,
      updated_at: now
    }
    const stored: Stored = {
      created,
      movement: {
        ...echoed,
        source: reference,
        provider_reference: identifiers.reference("PRV")
      },
      current: { ...created, idempotency_key: key }
    }
    byId.set(created.id, stored)
    agenda.plan(nowMillis + settleAfterMillis, (atMillis) => {
      settle(stored, atMillis, "COMPLETED")
    })
    return stored
  }

  const create: Payments["create"] = (request, key) => (nowMillis) =>
    Either.map(
      keys.once(key, request, () =>
        Either.map(catalogue.checkAvailable(services, request), () => add(request, key, nowMillis))
      ),
      ({ created }) => created
    )

  return {
    create,
    get: (id) => () => {
      const stored = byId.get(id.toLowerCase())
      return stored === undefined ? Either.left(unknown) : Either.right(readShape(stored.current))
    },
    all: () => Array.from(byId.values(), ({ current }) => current),
    settle: (id, status, nowMillis) => {
      const stored = byId.get(id.toLowerCase())
      return stored !== undefined && settle(stored, nowMillis, status)
    }
  }
}

const unknown = refusal.notFound("NOT_FOUND", "The payment intent does not exist.")

const readShape = Struct.omit(
  "idempotency_key",
  "account_id",
  "application_id",
  "description",
  "expires_at"
)
