/**
 * The card operations as they are on the wire (interface sections 4.11 and 4.12).
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
import * as Card from "./Card.js"

/**
 * How many rows a page of cards or cardholders shall have.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PageSize = Schema.Struct({ per_page: Schema.optional(Page.PerPageParam) })

/**
 * @since 0.1.0
 * @category models
 */
export interface PageSize extends Schema.Schema.Type<typeof PageSize> {}

/**
 * `POST /cards`: issues a virtual card. Its key is in the body.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const issue = Operation.keyed(
  HttpApiEndpoint.post("issue", "/cards")
    .setPayload(Card.CardRequest)
    .addSuccess(Envelope.Success(Card.Issuance))
    .annotate(OpenApi.Summary, "Issue a virtual card"),
  "virtual_cards.cards.write",
  { in: "body", name: "idempotency_key" },
  {
    in: "card",
    echoes: [
      { field: "idempotency_key", member: "issuance_reference", as: "text" },
      { field: "customer_id", member: "virtual_card_customer_id", as: "code" },
      { field: "debit_currency", member: "charged_currency", as: "code" }
    ]
  }
)

/**
 * `GET /cards`: lists cards, without sensitive data.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const list = Operation.safe(
  HttpApiEndpoint.get("list", "/cards")
    .setUrlParams(PageSize)
    .addSuccess(Envelope.Success(Page.of(Card.Card)))
    .annotate(OpenApi.Summary, "List virtual cards"),
  "virtual_cards.cards.read"
)

/**
 * @since 0.1.0
 * @category groups
 */
export const group = HttpApiGroup.make("Cards").add(issue).add(list)
