/**
 * The payment link operations as they are on the wire (interface sections 4.8 to 4.10). They are
 * reserved to business accounts with approved KYB.
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Envelope from "@manilla/core/Envelope"
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
  per_page: Schema.optional(Page.PerPageParam),
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
 * @category endpoints
 */
export const create = Operation.once(
  HttpApiEndpoint.post("create", "/payment-links")
    .setPayload(PaymentLink.PaymentLinkRequest)
    .addSuccess(Envelope.Success(PaymentLink.PaymentLink))
    .annotate(OpenApi.Summary, "Create a payment link"),
  "payment_links.write",
  {
    echoes: [
      { field: "amount", as: "amount" },
      { field: "currency", as: "code" },
      { field: "country", as: "code" }
    ]
  }
)

/**
 * `GET /payment-links`: lists links.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const list = Operation.safe(
  HttpApiEndpoint.get("list", "/payment-links")
    .setUrlParams(PaymentLinkFilter)
    .addSuccess(Envelope.Success(Page.of(PaymentLink.PaymentLink)))
    .annotate(OpenApi.Summary, "List payment links"),
  "payment_links.read"
)

/**
 * `GET /payment-links/{paymentLink}`: reads a link by its id.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const get = Operation.safe(
  HttpApiEndpoint.get("get", "/payment-links/:paymentLink")
    .setPath(Schema.Struct({ paymentLink: PaymentLink.PaymentLinkId }))
    .addSuccess(Envelope.Success(PaymentLink.PaymentLinkDetail))
    .annotate(OpenApi.Summary, "Read a payment link"),
  "payment_links.read"
)

/**
 * @since 0.1.0
 * @category groups
 */
export const group = HttpApiGroup.make("PaymentLinks").add(create).add(list).add(get)
