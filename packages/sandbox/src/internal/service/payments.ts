/**
 * Payment intents and their idempotency keys (interface sections 2.2, 4.1 and 4.2).
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Metadata from "@manilla/core/Metadata"
import * as OperationKind from "@manilla/core/OperationKind"
import * as Timestamp from "@manilla/core/Timestamp"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { Outcome } from "../../Outcome.js"
import type { StoredPaymentIntent } from "../../Sandbox.js"
import * as outcomes from "../faults/outcomes.js"
import * as money from "../money/amounts.js"
import type { Collections } from "../money/collections.js"
import * as idempotency from "../rules/idempotency.js"
import type { Identifiers } from "../rules/identifiers.js"
import type { Rule } from "../rules/refusal.js"
import * as refusal from "../rules/refusal.js"
import * as settling from "../rules/settling.js"
import * as table from "../store/table.js"
import type { Agenda } from "../time/agenda.js"
import * as moment from "../time/moment.js"
import type * as accounts from "./accounts.js"
import * as catalogue from "./catalogue.js"

const Row = Schema.Struct({
  ...PaymentIntent.CreatedPaymentIntent.fields,
  reference: PaymentIntent.PaymentIntentReference,
  country: Country.Country,
  operation: OperationKind.Input,
  metadata: Metadata.Metadata,
  created_at: Timestamp.Timestamp,
  updated_at: Timestamp.Timestamp,
  idempotency_key: IdempotencyKey.IdempotencyKey,
  provider_reference: Schema.String
})

export type Row = typeof Row.Type

export const declared = table.table(Row, ({ id }) => id)

export interface Options extends idempotency.Options {
  readonly rows: table.Table<Row>
  readonly identifiers: Identifiers
  readonly agenda: Agenda
  readonly collections: Collections
  readonly accountIds: accounts.Accounts["ids"]
  readonly settleAfterMillis: number
  readonly services: ReadonlyArray<AvailableService>
}

export interface Payments {
  readonly create: (
    request: PaymentIntent.PaymentIntentRequest,
    key: IdempotencyKey.IdempotencyKey,
    outcome: Outcome | undefined
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

export const make = (options: Options): Payments => {
  const { collections, identifiers, rows, services } = options
  const keys = idempotency.make(options, "Payments.create")

  /** The interface describes only these two operations. Others move no money. */
  const move = (row: Row, status: string, atMillis: number) => {
    const { amount, country, currency, metadata, operation, provider_reference, reference } = row
    const isCollected = operation === "COLLECTION" || operation === "DEPOSIT"
    if (status !== "COMPLETED" || !isCollected) return Either.right(status)
    const collected = collections.collect(atMillis, {
      source: reference,
      operation,
      amount,
      currency,
      country,
      provider_reference,
      metadata
    })
    return Either.right(Either.isRight(collected) ? status : "FAILED")
  }

  const resources = settling.make({ ...options, kind: "payment", move })

  const add = (
    request: PaymentIntent.PaymentIntentRequest,
    key: IdempotencyKey.IdempotencyKey,
    outcome: Outcome | undefined,
    nowMillis: number
  ): string => {
    const now = moment.fromMillis(nowMillis)
    const { account_id, application_id } = options.accountIds()
    const reference = PaymentIntent.PaymentIntentReference.make(identifiers.reference("PAY"))
    const row: Row = {
      id: PaymentIntent.makeId(identifiers.uuid()),
      reference,
      account_id,
      application_id,
      country: Country.Country.make(request.country),
      amount: money.fixed(request.amount),
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
      updated_at: now,
      idempotency_key: key,
      provider_reference: identifiers.reference("PRV")
    }
    resources.add(row.id, row, outcome, nowMillis)
    return row.id
  }

  const find = (id: string): Either.Either<Row, refusal.Refusal> =>
    Either.fromNullable(rows.get(id.toLowerCase()), () => unknown)

  return {
    create: (request, key, outcome) => (nowMillis) =>
      keys
        .once(key, request, nowMillis, () =>
          outcomes.check(outcome).pipe(
            Either.flatMap(() => catalogue.checkAvailable(services, request)),
            Either.map(() => add(request, key, outcome, nowMillis))
          )
        )
        .pipe(Either.flatMap(find), Either.map(createdShape)),
    get: (id) => () => Either.map(find(id), readShape),
    all: () => rows.all().map(storedShape),
    settle: (id, status, nowMillis) => resources.settle(id.toLowerCase(), status, nowMillis)
  }
}

const unknown = refusal.notFound("The payment intent does not exist.")

const storedShape = Struct.omit("provider_reference")

/** The response to the creation, which is repeated for its key. */
const createdShape = (row: Row): PaymentIntent.CreatedPaymentIntent => ({
  ...Struct.omit(row, "idempotency_key", "provider_reference"),
  status: "PENDING",
  updated_at: row.created_at
})

const readShape = Struct.omit(
  "idempotency_key",
  "provider_reference",
  "account_id",
  "application_id",
  "description",
  "expires_at"
)
