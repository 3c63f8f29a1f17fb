/**
 * The whole service as the packages declare it: the main gateway and the account gateway
 * (interface section 4).
 *
 * @since 0.1.0
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as CatalogueApi from "@manilla/catalogue/CatalogueApi"
import * as Operation from "@manilla/core/Operation"
import * as PaymentsApi from "@manilla/payments/PaymentsApi"
import * as TokenApi from "@manilla/token/TokenApi"

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
export const main = HttpApi.make("Service").add(PaymentsApi.group).add(CatalogueApi.group)

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
