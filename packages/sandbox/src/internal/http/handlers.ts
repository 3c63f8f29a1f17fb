/**
 * The rule of each operation. Statuses, paths and encodings come from the declared operations.
 */
import type * as Operation from "@manilla/core/Operation"
import * as Either from "effect/Either"
import type { Outcome } from "../../Outcome.js"
import type * as ServiceApi from "../../ServiceApi.js"
import type { Emulation } from "../emulation.js"
import * as pages from "../rules/pages.js"
import type { Rule } from "../rules/refusal.js"

type TypeOf<S> = S extends { readonly Type: infer A } ? A : undefined

/** The decoded parts of a request. */
export interface Request<O extends Operation.Operation> {
  readonly path: TypeOf<O["pathParams"]>
  readonly urlParams: TypeOf<O["urlParams"]>
  readonly headers: TypeOf<O["headers"]>
  readonly payload: TypeOf<O["payload"]>
}

/** Parts of a request that no operation declares. */
export interface Undeclared {
  /** The outcome that the request asks for, if it is one that a rule decides. */
  readonly outcome: Outcome | undefined
  readonly search: Readonly<Record<string, unknown>>
}

export type Handler<O extends Operation.Operation> = (
  request: Request<O>,
  emulation: Emulation,
  undeclared: Undeclared
) => Rule<O["success"]["Type"]>

/** A handler that also needs the number of a page. */
const paged =
  <Request, A>(list: (request: Request, emulation: Emulation, page: number) => Rule<A>) =>
  (request: Request, emulation: Emulation, { search }: Undeclared): Rule<A> =>
  (nowMillis) =>
    Either.flatMap(pages.requested(search), (page) => list(request, emulation, page)(nowMillis))

export const handlers: {
  readonly [Name in ServiceApi.OperationName]: Handler<ServiceApi.OperationNamed<Name>>
} = {
  "Payments.create": ({ headers, payload }, { payments }, { outcome }) =>
    payments.create(payload, headers["idempotency-key"], outcome),
  "Payments.get": ({ path }, { payments }) => payments.get(path.paymentIntent),
  "Transactions.list": paged(({ urlParams }, { transactions }, page) =>
    transactions.list(urlParams, page)
  ),
  "Transactions.get": ({ path }, { transactions }) => transactions.get(path.reference),
  "Payouts.create": ({ headers, payload }, { payouts }, { outcome }) =>
    payouts.create(payload, headers["idempotency-key"], outcome),
  "Payouts.get": ({ path }, { payouts }) => payouts.get(path.reference),
  "Refunds.get": ({ path }, { refunds }) => refunds.get(path.reference),
  "PaymentLinks.create": ({ payload }, { paymentLinks }, { outcome }) =>
    paymentLinks.create(payload, outcome),
  "PaymentLinks.list": paged(({ urlParams }, { paymentLinks }, page) =>
    paymentLinks.list(urlParams, page)
  ),
  "PaymentLinks.get": ({ path }, { paymentLinks }) => paymentLinks.get(path.paymentLink),
  "Cards.issue": ({ payload }, { cards }, { outcome }) => cards.issue(payload, outcome),
  "Cards.list": paged(({ urlParams }, { cards }, page) => cards.list(urlParams, page)),
  "Cardholders.list": paged(({ urlParams }, { cardholders }, page) =>
    cardholders.list(urlParams, page)
  ),
  "Cardholders.get": ({ path }, { cardholders }) => cardholders.get(path.virtualCardCustomer),
  "Catalogue.list":
    (_, { catalogue }) =>
    () =>
      Either.right(catalogue),
  "Token.obtain": ({ payload }, { accounts }) => accounts.obtain(payload)
}
