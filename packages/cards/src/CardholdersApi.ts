/**
 * The cardholder operations as they are on the wire (interface sections 4.13 and 4.14).
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
import * as Cardholder from "./Cardholder.js"
import { PageSize } from "./CardsApi.js"

/**
 * `GET /cardholders`: lists cardholders.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const list = Operation.safe(
  HttpApiEndpoint.get("list", "/cardholders")
    .setUrlParams(PageSize)
    .addSuccess(Envelope.Success(Page.of(Cardholder.Cardholder)))
    .annotate(OpenApi.Summary, "List cardholders"),
  "virtual_cards.users.read"
)

/**
 * `GET /cardholders/{virtualCardCustomer}`: reads a cardholder's personal data by its id.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const get = Operation.safe(
  HttpApiEndpoint.get("get", "/cardholders/:virtualCardCustomer")
    .setPath(Schema.Struct({ virtualCardCustomer: Cardholder.CardholderId }))
    .addSuccess(Envelope.Success(Cardholder.CardholderDetail))
    .annotate(OpenApi.Summary, "Read a cardholder"),
  "virtual_cards.users.read"
)

/**
 * @since 0.1.0
 * @category groups
 */
export const group = HttpApiGroup.make("Cardholders").add(list).add(get)
