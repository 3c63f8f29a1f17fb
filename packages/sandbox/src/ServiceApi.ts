/**
 * The whole service as the packages declare it: the main gateway and the account gateway
 * (interface section 4).
 *
 * @since 0.1.0
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as CardholdersApi from "@manilla/cards/CardholdersApi"
import * as CardsApi from "@manilla/cards/CardsApi"
import * as CatalogueApi from "@manilla/catalogue/CatalogueApi"
import * as Operation from "@manilla/core/Operation"
import * as PaymentLinksApi from "@manilla/payment-links/PaymentLinksApi"
import * as PaymentsApi from "@manilla/payments/PaymentsApi"
import * as PayoutsApi from "@manilla/payouts/PayoutsApi"
import * as RefundsApi from "@manilla/refunds/RefundsApi"
import * as TokenApi from "@manilla/token/TokenApi"
import * as TransactionsApi from "@manilla/transactions/TransactionsApi"

/**
 * The version segment of both gateways (interface section 9).
 *
 * @since 0.1.0
 * @category constants
 */
export const root = "/api/v1"

/**
 * What is served below `{base_url}`.
 *
 * @since 0.1.0
 * @category apis
 */
export const main = HttpApi.make("Service")
  .add(PaymentsApi.group)
  .add(TransactionsApi.group)
  .add(PayoutsApi.group)
  .add(RefundsApi.group)
  .add(PaymentLinksApi.group)
  .add(CardsApi.group)
  .add(CardholdersApi.group)
  .add(CatalogueApi.group)

/**
 * What is served below `{auth_url}`.
 *
 * @since 0.1.0
 * @category apis
 */
export const account = HttpApi.make("Accounts").add(TokenApi.group)

/**
 * Every operation with its name: `Payments.create`, `Payments.get`, …
 *
 * @since 0.1.0
 * @category operations
 */
export const operations: ReadonlyMap<string, Operation.Operation> = new Map(
  [...Object.values(main.groups), ...Object.values(account.groups)].flatMap((group) =>
    Object.values(group.endpoints)
      .filter(Operation.isOperation)
      .map((operation) => [`${group.identifier}.${operation.name}`, operation])
  )
)
