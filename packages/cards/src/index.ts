/**
 * The virtual card: a USD card whose issuance is paid from a wallet (interface sections 2.7 and
 * 4.11). The card number, the security code and the PIN are in no answer shown by the interface.
 *
 * @since 0.1.0
 */
export * as Card from "./Card.js"

/**
 * The cardholder: who a card is issued to (interface section 2.8).
 *
 * @since 0.1.0
 */
export * as Cardholder from "./Cardholder.js"

/**
 * Cardholders: lists without personal data, and single reads with it.
 *
 * @since 0.1.0
 */
export * as Cardholders from "./Cardholders.js"

/**
 * The cardholder operations as they are on the wire (interface sections 4.13 and 4.14).
 *
 * @since 0.1.0
 */
export * as CardholdersApi from "./CardholdersApi.js"

/**
 * Virtual cards: issue one per idempotency key, and list them.
 *
 * @since 0.1.0
 */
export * as Cards from "./Cards.js"

/**
 * The card operations as they are on the wire (interface sections 4.11 and 4.12).
 *
 * @since 0.1.0
 */
export * as CardsApi from "./CardsApi.js"
