/**
 * Payment intents (interface sections 2.2, 4.1 and 4.2).
 */
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Either from "effect/Either"
import * as amounts from "../money/amounts.js"
import * as refusal from "../rules/refusal.js"
import type * as state from "../store/state.js"
import * as moment from "../time/moment.js"
import type { Accounts } from "./accounts.js"
import * as catalogue from "./catalogue.js"
import type { Core, Handlers } from "./core.js"
import * as settling from "./settling.js"
import type { Transactions } from "./transactions.js"

type Row = typeof state.PaymentRow.Type

const completed = Either.right("COMPLETED")

export const make = (core: Core, transactions: Transactions, accounts: Accounts) => {
  const { identifiers, oncePerKey } = core
  const rows = core.state.payments

  /** The interface describes only these two operations. Others move no money. */
  const move = (row: Row, atMillis: number) => {
    if (row.operation !== "COLLECTION" && row.operation !== "DEPOSIT") return completed
    const collected = transactions.collect(atMillis, { ...row, source: row.reference })
    return Either.map(collected, () => "COMPLETED")
  }

  const add = settling.make(core, "payment", rows, {
    move,
    release: () => Either.void
  })

  const find = (id: string) => refusal.found("payment intent", rows.get(id.toLowerCase()))

  const handlers: Handlers<"Payments.create" | "Payments.get"> = {
    "Payments.create": ({ headers, payload }, context) =>
      oncePerKey("Payments.create", headers["idempotency-key"], payload, context, () =>
        Either.gen(function* () {
          const { phone_number } = payload.payer
          yield* catalogue.check(core, payload, ["payer.phone_number", phone_number], context)
          const { country, currency, description = null, expires_at, metadata = {} } = payload
          const { account_id, application_id } = accounts.ids()
          const { behaviour, nowMillis } = context
          const now = moment.fromMillis(nowMillis)
          const reference = PaymentIntent.PaymentIntentReference.make(identifiers.reference("PAY"))
          const row: Row = {
            id: PaymentIntent.makeId(identifiers.uuid()),
            reference,
            account_id,
            application_id,
            country: Country.Country.make(country),
            amount: amounts.fixed(payload.amount),
            currency: Currency.Currency.make(currency),
            operation: payload.operation,
            payment_method: payload.payment_method,
            environment: "SANDBOX",
            description,
            metadata,
            status: "PENDING",
            expires_at: typeof expires_at === "string" ? moment.fromInput(expires_at) : null,
            created_at: now,
            updated_at: now,
            idempotency_key: headers["idempotency-key"],
            provider_reference: identifiers.reference("PRV")
          }
          add(row.id, row, behaviour, nowMillis)
          return row.id
        })
      ).pipe(
        Either.flatMap(find),
        // The response to the creation is repeated for its key.
        Either.map((row) => ({ ...row, status: "PENDING", updated_at: row.created_at }))
      ),
    "Payments.get": ({ path }) => find(path.paymentIntent)
  }

  return { handlers }
}
