/**
 * Payment intents and their idempotency keys (interface sections 2.2, 4.1 and 4.2).
 */
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Metadata from "@manilla/core/Metadata"
import * as OperationKind from "@manilla/core/OperationKind"
import * as Timestamp from "@manilla/core/Timestamp"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Outcome } from "../../Outcome.js"
import * as outcomes from "../faults/outcomes.js"
import * as amounts from "../money/amounts.js"
import * as refusal from "../rules/refusal.js"
import type { Rule } from "../rules/refusal.js"
import * as settling from "../rules/settling.js"
import * as table from "../store/table.js"
import * as moment from "../time/moment.js"
import type { Accounts } from "./accounts.js"
import * as catalogue from "./catalogue.js"
import type { Core } from "./core.js"

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

type Row = typeof Row.Type

export const declared = table.table(Row, ({ id }) => id)

export const make = (core: Core, rows: table.Table<Row>, accountIds: Accounts["ids"]) => {
  const { identifiers, services, transactions } = core
  const keys = core.keys("Payments.create")

  /** The interface describes only these two operations. Others move no money. */
  const move = (row: Row, status: string, atMillis: number) => {
    const isCollected = row.operation === "COLLECTION" || row.operation === "DEPOSIT"
    if (status !== "COMPLETED" || !isCollected) return Either.right(status)
    const collected = transactions.collect(atMillis, { ...row, source: row.reference })
    return Either.right(Either.isRight(collected) ? status : "FAILED")
  }

  const resources = settling.make({ ...core, rows, kind: "payment", move })

  const add = (
    request: PaymentIntent.PaymentIntentRequest,
    idempotency_key: IdempotencyKey.IdempotencyKey,
    outcome: Outcome | undefined,
    nowMillis: number
  ): string => {
    const { amount, country, currency, description, expires_at, metadata } = request
    const { account_id, application_id } = accountIds()
    const now = moment.fromMillis(nowMillis)
    const reference = PaymentIntent.PaymentIntentReference.make(identifiers.reference("PAY"))
    const row: Row = {
      id: PaymentIntent.makeId(identifiers.uuid()),
      reference,
      account_id,
      application_id,
      country: Country.Country.make(country),
      amount: amounts.fixed(amount),
      currency: Currency.Currency.make(currency),
      operation: request.operation,
      payment_method: request.payment_method,
      environment: "SANDBOX",
      description: description ?? null,
      metadata: metadata ?? {},
      status: "PENDING",
      expires_at: typeof expires_at === "string" ? moment.fromInput(expires_at) : null,
      created_at: now,
      updated_at: now,
      idempotency_key,
      provider_reference: identifiers.reference("PRV")
    }
    resources.add(row.id, row, outcome, nowMillis)
    return row.id
  }

  const find = (id: string) => refusal.found("payment intent", rows.get(id.toLowerCase()))

  return {
    create:
      (
        request: PaymentIntent.PaymentIntentRequest,
        key: IdempotencyKey.IdempotencyKey,
        outcome: Outcome | undefined
      ): Rule<PaymentIntent.CreatedPaymentIntent> =>
      (nowMillis) =>
        keys
          .once(key, request, nowMillis, () =>
            outcomes.check(outcome).pipe(
              Either.flatMap(() => catalogue.checkAvailable(services, request)),
              Either.map(() => add(request, key, outcome, nowMillis))
            )
          )
          .pipe(Either.flatMap(find), Either.map(asCreated)),
    get:
      (id: string): Rule<PaymentIntent.PaymentIntent> =>
      () =>
        find(id),
    all: rows.all,
    /** Settles an intent. Returns `false` if no such intent is PENDING. */
    settle: (id: string, status: string, nowMillis: number) =>
      resources.settle(id.toLowerCase(), status, nowMillis)
  }
}

/** The response to the creation, which is repeated for its key. */
const asCreated = (row: Row): PaymentIntent.CreatedPaymentIntent => ({
  ...row,
  status: "PENDING",
  updated_at: row.created_at
})
