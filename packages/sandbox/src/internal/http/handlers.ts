/**
 * The rule of each operation. Statuses, paths and encodings come from the declared operations.
 */
import type * as Operation from "@manilla/core/Operation"
import * as Either from "effect/Either"
import type * as ServiceApi from "../../ServiceApi.js"
import type { Emulation } from "../emulation.js"
import * as pages from "../rules/pages.js"
import type { Refusal } from "../rules/refusal.js"
import type { Undeclared } from "../rules/idempotency.js"

type Search = Readonly<Record<string, unknown>>

/** Decides and stores in one synchronous step. */
export type Handler<O extends Operation.Operation> = (
  request: Operation.Request<O>,
  emulation: Emulation,
  undeclared: Undeclared,
  search: Search
) => Either.Either<O["success"]["Type"], Refusal>

/** A handler that also needs the number of a page. */
const paged =
  <Request, A>(list: (request: Request, emulation: Emulation, page: number) => A) =>
  (request: Request, emulation: Emulation, _: Undeclared, search: Search) =>
    Either.map(pages.requested(search), (page) => list(request, emulation, page))

export const handlers: {
  readonly [Name in ServiceApi.OperationName]: Handler<ServiceApi.OperationNamed<Name>>
} = {
  "Payments.create": ({ headers, payload }, { payments }, undeclared) =>
    payments.create(payload, headers["idempotency-key"], undeclared),
  "Payments.get": ({ path }, { payments }) => payments.get(path.paymentIntent),
  "Transactions.list": paged(({ urlParams }, { transactions }, page) =>
    transactions.list(urlParams, page)
  ),
  "Transactions.get": ({ path }, { transactions }) => transactions.get(path.reference),
  "Payouts.create": ({ headers, payload }, { payouts }, undeclared) =>
    payouts.create(payload, headers["idempotency-key"], undeclared),
  "Payouts.get": ({ path }, { payouts }) => payouts.get(path.reference),
  "Refunds.get": ({ path }, { refunds }) => refunds.get(path.reference),
  "PaymentLinks.create": ({ payload }, { paymentLinks }, undeclared) =>
    paymentLinks.create(payload, undeclared),
  "PaymentLinks.list": paged(({ urlParams }, { paymentLinks }, page) =>
    paymentLinks.list(urlParams, page)
  ),
  "PaymentLinks.get": ({ path }, { paymentLinks }) => paymentLinks.get(path.paymentLink),
  "Cards.issue": ({ payload }, { cards }, undeclared) => cards.issue(payload, undeclared),
  "Cards.list": paged(({ urlParams }, { cards }, page) => cards.list(urlParams, page)),
  "Cardholders.list": paged(({ urlParams }, { cardholders }, page) =>
    cardholders.list(urlParams, page)
  ),
  "Cardholders.get": ({ path }, { cardholders }) => cardholders.get(path.virtualCardCustomer),
  "Catalogue.list": (_, { catalogue }) => Either.right(catalogue),
  "Token.obtain": ({ payload }, { accounts }, { nowMillis }) => accounts.obtain(payload, nowMillis)
}
