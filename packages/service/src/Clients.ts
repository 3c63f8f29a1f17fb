/**
 * The clients of all domains in one layer.
 *
 * @since 0.1.0
 */
import * as Cardholders from "@manilla/cards/Cardholders"
import * as Cards from "@manilla/cards/Cards"
import * as Catalogue from "@manilla/catalogue/Catalogue"
import type * as Gateway from "@manilla/core/Gateway"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Refunds from "@manilla/refunds/Refunds"
import * as Transactions from "@manilla/transactions/Transactions"
import type * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { MainGroupName } from "./ServiceApi.js"

/**
 * The service of each group of operations, by the name that its promises have. The compiler reports a group without one.
 *
 * @since 0.1.0
 * @category services
 */
export const tags = {
  cardholders: Cardholders.Cardholders,
  cards: Cards.Cards,
  catalogue: Catalogue.Catalogue,
  paymentLinks: PaymentLinks.PaymentLinks,
  payments: Payments.Payments,
  payouts: Payouts.Payouts,
  refunds: Refunds.Refunds,
  transactions: Transactions.Transactions
} as const satisfies Readonly<Record<Uncapitalize<MainGroupName>, object>>

/**
 * The services of all domains, as a program needs them.
 *
 * @since 0.1.0
 * @category models
 */
export type Clients = Context.Tag.Identifier<(typeof tags)[keyof typeof tags]>

/**
 * A layer that provides the client of every domain. A program that needs one of them is smaller with the
 * layer of that package.
 *
 * @example
 * import * as UndiciClient from "@manilla/core/UndiciClient"
 * import * as Clients from "@manilla/service/Clients"
 * import * as Manilla from "@manilla/token/Manilla"
 * import * as Layer from "effect/Layer"
 *
 * const live = Clients.layer.pipe(
 *   Layer.provide(Manilla.layerConfig()),
 *   Layer.provide(UndiciClient.layer)
 * )
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Clients, never, Gateway.Gateway> = Layer.mergeAll(
  Cardholders.layer,
  Cards.layer,
  Catalogue.layer,
  PaymentLinks.layer,
  Payments.layer,
  Payouts.layer,
  Refunds.layer,
  Transactions.layer
)
