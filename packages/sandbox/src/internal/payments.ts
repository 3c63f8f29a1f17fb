/**
 * Payment intents and the keys they were created under (interface sections 2.2, 4.1 and 4.2).
 *
 * What decides and what is stored happens in one step that nothing can come between, so however
 * many requests carry one key at once, they make one intent.
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import * as Amount from "@manilla/core/Amount"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import type { IdempotencyKey } from "@manilla/core/IdempotencyKey"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as BigDecimal from "effect/BigDecimal"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import type { StoredPaymentIntent } from "../Sandbox.js"
import type { Identifiers } from "./identifiers.js"
import * as moment from "./moment.js"
import * as refusal from "./refusal.js"

export interface Options {
  readonly identifiers: Identifiers
  readonly accountId: string
  readonly applicationId: string
  readonly settleAfter: Duration.DurationInput
  readonly services: ReadonlyArray<AvailableService>
}

export interface Payments {
  readonly create: (
    request: PaymentIntent.PaymentIntentRequest,
    key: IdempotencyKey
  ) => Effect.Effect<PaymentIntent.CreatedPaymentIntent, refusal.Refusal>
  readonly get: (
    id: PaymentIntent.PaymentIntentId
  ) => Effect.Effect<PaymentIntent.PaymentIntent, refusal.Refusal>
  readonly all: Effect.Effect<ReadonlyArray<StoredPaymentIntent>>
  /** Settles an intent now; says whether there is one. */
  readonly settle: (
    id: PaymentIntent.PaymentIntentId,
    status: PaymentIntent.Status
  ) => Effect.Effect<boolean>
}

interface Stored {
  readonly key: IdempotencyKey
  /** The body it was created with, in one spelling. */
  readonly body: string
  readonly created: PaymentIntent.CreatedPaymentIntent
  settlesMillis: number
  settlesAs: PaymentIntent.Status
}

export const make = (options: Options): Payments => {
  const { accountId, applicationId, identifiers, services } = options
  const settleAfterMillis = Duration.toMillis(options.settleAfter)
  const byId = new Map<string, Stored>()
  const byKey = new Map<IdempotencyKey, Stored>()

  const refusalOf = (request: PaymentIntent.PaymentIntentRequest): refusal.Refusal | undefined => {
    const listed = services.find(
      ({ country, currency, operation, payment_method }) =>
        country.code === request.country &&
        currency.code === request.currency &&
        operation === request.operation &&
        payment_method === request.payment_method
    )
    return listed === undefined || listed.available
      ? undefined
      : refusal.unprocessable("SERVICE_UNAVAILABLE", "The service is unavailable now.", [
          { field: "payment_method", rule: "must be available in the catalogue of services" }
        ])
  }

  const create: Payments["create"] = (request, key) =>
    Effect.gen(function* () {
      const nowMillis = yield* Clock.currentTimeMillis
      const id = PaymentIntent.PaymentIntentId.make(yield* identifiers.uuid)
      const reference = PaymentIntent.PaymentIntentReference.make(
        `PAY-${(yield* identifiers.text(12)).toUpperCase()}`
      )
      const body = canonical(request)
      return yield* Effect.suspend(() => {
        const earlier = byKey.get(key)
        if (earlier !== undefined) {
          return earlier.body === body ? Effect.succeed(earlier.created) : Effect.fail(keyReused)
        }
        const refused = refusalOf(request)
        if (refused !== undefined) return Effect.fail(refused)
        const now = moment.fromMillis(nowMillis)
        const created: PaymentIntent.CreatedPaymentIntent = {
          id,
          reference,
          account_id: accountId,
          application_id: applicationId,
          country: Country.Country.make(request.country),
          amount: withFourDigits(request.amount),
          currency: Currency.Currency.make(request.currency),
          operation: request.operation,
          payment_method: request.payment_method,
          environment: "SANDBOX",
          description: request.description ?? null,
          metadata: request.metadata ?? {},
          status: "PENDING",
          expires_at:
            typeof request.expires_at === "string" ? moment.fromInput(request.expires_at) : null,
          created_at: now,
          updated_at: now
        }
        const stored: Stored = {
          key,
          body,
          created,
          settlesMillis: nowMillis + settleAfterMillis,
          settlesAs: "COMPLETED"
        }
        byId.set(id, stored)
        byKey.set(key, stored)
        return Effect.succeed(created)
      })
    })

  const get: Payments["get"] = (id) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const stored = byId.get(id.toLowerCase())
      if (stored === undefined) {
        return Effect.fail(refusal.notFound("NOT_FOUND", "There is no such payment intent."))
      }
      return Effect.succeed(
        Struct.omit(
          at(stored, nowMillis),
          "account_id",
          "application_id",
          "description",
          "expires_at"
        )
      )
    })

  return {
    create,
    get,
    all: Effect.map(Clock.currentTimeMillis, (nowMillis) =>
      Array.from(byId.values(), (stored) => ({
        ...at(stored, nowMillis),
        idempotency_key: stored.key
      }))
    ),
    settle: (id, status) =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) => {
        const stored = byId.get(id.toLowerCase())
        if (stored === undefined) return false
        stored.settlesMillis = nowMillis
        stored.settlesAs = status
        return true
      })
  }
}

const keyReused = refusal.unprocessable(
  "IDEMPOTENCY_KEY_REUSED",
  "The idempotency key belongs to a request with another body."
)

/** The intent as it is at a moment: nothing runs in the background, time alone moves it. */
const at = (stored: Stored, nowMillis: number): PaymentIntent.CreatedPaymentIntent =>
  nowMillis < stored.settlesMillis
    ? stored.created
    : {
        ...stored.created,
        status: stored.settlesAs,
        updated_at: moment.fromMillis(stored.settlesMillis)
      }

const withFourDigits = (amount: string): Amount.Amount =>
  Amount.fromBigDecimal(BigDecimal.scale(Amount.toBigDecimal(Amount.Amount.make(amount)), 4))

/** JSON with the members of every object in one order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member
  )
