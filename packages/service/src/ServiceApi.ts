/**
 * All operations that the packages declare, for the main gateway and the account gateway.
 *
 * @since 0.1.0
 */
import * as CardholdersApi from "@manilla/cards/CardholdersApi"
import * as CardsApi from "@manilla/cards/CardsApi"
import * as CatalogueApi from "@manilla/catalogue/CatalogueApi"
import type * as Operation from "@manilla/core/Operation"
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as PaymentLinksApi from "@manilla/payment-links/PaymentLinksApi"
import * as PaymentsApi from "@manilla/payments/PaymentsApi"
import * as PayoutsApi from "@manilla/payouts/PayoutsApi"
import * as RefundsApi from "@manilla/refunds/RefundsApi"
import * as TokenApi from "@manilla/token/TokenApi"
import * as TransactionsApi from "@manilla/transactions/TransactionsApi"

/**
 * The version segment of both gateways.
 *
 * @since 0.1.0
 * @category constants
 */
export const root = "/api/v1"

/**
 * The groups of operations below `{base_url}`.
 *
 * @since 0.1.0
 * @category operations
 */
export const mainGroups = [
  PaymentsApi.group,
  TransactionsApi.group,
  PayoutsApi.group,
  RefundsApi.group,
  PaymentLinksApi.group,
  CardsApi.group,
  CardholdersApi.group,
  CatalogueApi.group
] as const

/**
 * The names of the groups below `{base_url}`. Each has a client in `Clients`.
 *
 * @since 0.1.0
 * @category type-level
 */
export type MainGroupName = (typeof mainGroups)[number]["name"]

/**
 * The groups of operations below `{auth_url}`.
 *
 * @since 0.1.0
 * @category operations
 */
export const accountGroups = [TokenApi.group] as const

/**
 * The groups of operations of both gateways.
 *
 * @since 0.1.0
 * @category operations
 */
export const groups = [...mainGroups, ...accountGroups] as const

type NamesIn<Group, Replay> =
  Group extends Operation.Group<infer Name, infer Operations>
    ? {
        [
          OperationName in keyof Operations & string
        ]: Operations[OperationName]["replay"] extends Replay ? `${Name}.${OperationName}` : never
      }[keyof Operations & string]
    : never

/**
 * The names of the declared operations, such as `Payments.create`, or of those of one replay class.
 *
 * @since 0.1.0
 * @category type-level
 */
export type OperationName<Replay extends RetryPolicy.Replay = RetryPolicy.Replay> = NamesIn<
  (typeof groups)[number],
  Replay
>

/**
 * The names of the declared writes.
 *
 * @since 0.1.0
 * @category type-level
 */
export type WriteName = OperationName<RetryPolicy.Keyed | RetryPolicy.Once>

/**
 * The declared operation with a name.
 *
 * @since 0.1.0
 * @category type-level
 */
export type OperationNamed<Name extends OperationName> = {
  [GroupName in (typeof groups)[number]["name"]]: Name extends `${GroupName}.${infer Rest}`
    ? Extract<(typeof groups)[number], { readonly name: GroupName }>["operations"] extends infer All
      ? All[Rest & keyof All]
      : never
    : never
}[(typeof groups)[number]["name"]]

/**
 * All operations by name: `Payments.create`, `Payments.get`, …
 *
 * @since 0.1.0
 * @category operations
 */
export const operations: ReadonlyMap<string, Operation.Operation> = new Map(
  groups.flatMap(({ name, operations }) =>
    Object.entries<Operation.Operation>(operations).map(
      ([operationName, operation]) => [`${name}.${operationName}`, operation] as const
    )
  )
)
