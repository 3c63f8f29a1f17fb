/**
 * The wire format of the card operations.
 *
 * @since 0.1.0
 */
import * as Operation from "@manilla/core/Operation"
import * as Page from "@manilla/core/Page"
import * as Schema from "effect/Schema"
import * as Card from "./Card.js"

/**
 * The page size of a list of cards or cardholders.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PageSize = Schema.Struct({ per_page: Schema.optional(Page.PerPage) })

/**
 * @since 0.1.0
 * @category models
 */
export interface PageSize extends Schema.Schema.Type<typeof PageSize> {}

/**
 * `POST /cards`: issues a virtual card. Its key is in the body.
 *
 * @since 0.1.0
 * @category operations
 */
export const issue = Operation.keyed({
  method: "POST",
  path: "/cards",
  summary: "Issue a virtual card",
  access: "virtual_cards.cards.write",
  payload: Card.CardRequest,
  success: Card.Issuance,
  key: { body: "idempotency_key" },
  checks: {
    in: "card",
    members: [
      { field: "idempotency_key", member: "issuance_reference", as: "text" },
      { field: "debit_currency", member: "charged_currency", as: "code" }
    ]
  }
})

/**
 * `GET /cards`: lists cards, without sensitive data.
 *
 * @since 0.1.0
 * @category operations
 */
export const list = Operation.safe({
  method: "GET",
  path: "/cards",
  summary: "List virtual cards",
  access: "virtual_cards.cards.read",
  urlParams: PageSize,
  success: Page.of(Card.Card)
})

/**
 * The type of {@link group}.
 *
 * @since 0.1.0
 * @category groups
 */
export interface CardsGroup extends Operation.Group<
  "Cards",
  {
    readonly issue: typeof issue
    readonly list: typeof list
  }
> {}

/**
 * The card operations.
 *
 * @since 0.1.0
 * @category groups
 */
export const group: CardsGroup = Operation.group("Cards", { issue, list })
