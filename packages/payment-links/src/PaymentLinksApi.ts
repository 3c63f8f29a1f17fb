/**
 * The wire format of the payment link operations. They require a
 * business account with approved KYB.
 *
 * @since 0.1.0
 */
import * as Operation from "@manilla/core/Operation"
import * as Page from "@manilla/core/Page"
import * as Schema from "effect/Schema"
import * as PaymentLink from "./PaymentLink.js"

/**
 * The filters of a list.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PaymentLinkFilter = Schema.Struct({
  per_page: Schema.optional(Page.PerPage),
  status: Schema.optional(PaymentLink.StatusInput)
})

/**
 * @since 0.1.0
 * @category models
 */
export interface PaymentLinkFilter extends Schema.Schema.Type<typeof PaymentLinkFilter> {}

/**
 * `POST /payment-links`: creates a link. It has no idempotency key.
 *
 * @since 0.1.0
 * @category operations
 */
export const create = Operation.once({
  method: "POST",
  path: "/payment-links",
  summary: "Create a payment link",
  access: "payment_links.write",
  payload: PaymentLink.PaymentLinkRequest,
  success: PaymentLink.PaymentLink,
  checks: {
    members: [
      { field: "amount", as: "amount" },
      { field: "currency", as: "code" }
    ]
  }
})

/**
 * `GET /payment-links`: lists links.
 *
 * @since 0.1.0
 * @category operations
 */
export const list = Operation.safe({
  method: "GET",
  path: "/payment-links",
  summary: "List payment links",
  access: "payment_links.read",
  urlParams: PaymentLinkFilter,
  success: Page.of(PaymentLink.PaymentLink)
})

/**
 * `GET /payment-links/{paymentLink}`: reads a link by its id.
 *
 * @since 0.1.0
 * @category operations
 */
export const get = Operation.safe({
  method: "GET",
  path: "/payment-links/:paymentLink",
  summary: "Read a payment link",
  access: "payment_links.read",
  pathParams: Schema.Struct({ paymentLink: PaymentLink.PaymentLinkId }),
  success: PaymentLink.PaymentLinkDetail
})

/**
 * The type of {@link group}.
 *
 * @since 0.1.0
 * @category groups
 */
export interface PaymentLinksGroup extends Operation.Group<
  "PaymentLinks",
  {
    readonly create: typeof create
    readonly list: typeof list
    readonly get: typeof get
  }
> {}

/**
 * The payment link operations.
 *
 * @since 0.1.0
 * @category groups
 */
export const group: PaymentLinksGroup = Operation.group("PaymentLinks", { create, list, get })
