/**
 * The wire format of the cardholder operations.
 *
 * @since 0.1.0
 */
import * as Operation from "@manilla/core/Operation"
import * as Page from "@manilla/core/Page"
import * as Schema from "effect/Schema"
import * as Cardholder from "./Cardholder.js"
import { PageSize } from "./CardsApi.js"

/**
 * `GET /cardholders`: lists cardholders.
 *
 * @since 0.1.0
 * @category operations
 */
export const list = Operation.safe({
  method: "GET",
  path: "/cardholders",
  summary: "List cardholders",
  access: "virtual_cards.users.read",
  urlParams: PageSize,
  success: Page.of(Cardholder.Cardholder)
})

/**
 * `GET /cardholders/{virtualCardCustomer}`: reads a cardholder's personal data by its id.
 *
 * @since 0.1.0
 * @category operations
 */
export const get = Operation.safe({
  method: "GET",
  path: "/cardholders/:virtualCardCustomer",
  summary: "Read a cardholder",
  access: "virtual_cards.users.read",
  pathParams: Schema.Struct({ virtualCardCustomer: Cardholder.CardholderId }),
  success: Cardholder.CardholderDetailWire
})

/**
 * The type of {@link group}.
 *
 * @since 0.1.0
 * @category groups
 */
export interface CardholdersGroup extends Operation.Group<
  "Cardholders",
  {
    readonly list: typeof list
    readonly get: typeof get
  }
> {}

/**
 * The cardholder operations.
 *
 * @since 0.1.0
 * @category groups
 */
export const group: CardholdersGroup = Operation.group("Cardholders", { list, get })
