/**
 * The clients of all domains in one layer.
 *
 * @since 0.1.0
 */
import * as Cardholders from "@manilla/cards/Cardholders"
import * as Cards from "@manilla/cards/Cards"
import * as Catalogue from "@manilla/catalogue/Catalogue"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Refunds from "@manilla/refunds/Refunds"
import * as Transactions from "@manilla/transactions/Transactions"
import * as Layer from "effect/Layer"

/**
 * The services of all domains, by the names that their promises have.
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
} as const

/**
 * A layer that provides the client of every domain. A program that needs one of them is smaller with the
 * layer of that package.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = Layer.mergeAll(
  Cardholders.layer,
  Cards.layer,
  Catalogue.layer,
  PaymentLinks.layer,
  Payments.layer,
  Payouts.layer,
  Refunds.layer,
  Transactions.layer
)

/**
 * The services of all domains, as a program needs them.
 *
 * @since 0.1.0
 * @category models
 */
export type Clients = Layer.Layer.Success<typeof layer>
