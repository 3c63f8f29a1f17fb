/**
 * The transaction operations as they are on the wire (interface sections 4.3 and 4.4).
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Currency from "@manilla/core/Currency"
import * as Envelope from "@manilla/core/Envelope"
import * as Environment from "@manilla/core/Environment"
import * as Operation from "@manilla/core/Operation"
import * as Page from "@manilla/core/Page"
import * as Schema from "effect/Schema"
import * as Transaction from "./Transaction.js"

/**
 * The filters of a list. Allowed values of `status` are not shown by the interface, nor is the name
 * of a further filter of at most 120 characters: pass that one as an extra parameter.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransactionFilter = Schema.Struct({
  per_page: Schema.optional(Page.PerPageParam),
  status: Schema.optional(Schema.String),
  currency: Schema.optional(Currency.Input),
  environment: Schema.optional(Environment.Input)
})

/**
 * @since 0.1.0
 * @category models
 */
export interface TransactionFilter extends Schema.Schema.Type<typeof TransactionFilter> {}

/**
 * `GET /transactions`: lists transactions.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const list = Operation.safe(
  HttpApiEndpoint.get("list", "/transactions")
    .setUrlParams(TransactionFilter)
    .addSuccess(Envelope.Success(Page.of(Transaction.Transaction)))
    .annotate(OpenApi.Summary, "List transactions"),
  "transactions.read"
)

/**
 * `GET /transactions/{reference}`: reads a transaction.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const get = Operation.safe(
  HttpApiEndpoint.get("get", "/transactions/:reference")
    .setPath(Schema.Struct({ reference: Transaction.TransactionReference }))
    .addSuccess(Envelope.Success(Transaction.TransactionDetail))
    .annotate(OpenApi.Summary, "Read a transaction"),
  "transactions.read"
)

/**
 * @since 0.1.0
 * @category groups
 */
export const group = HttpApiGroup.make("Transactions").add(list).add(get)
