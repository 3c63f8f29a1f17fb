/**
 * Virtual cards in USD. A wallet pays the fee of their issuance (interface sections 2.7 and 4.11). No
 * response in the interface contains the card number, the security code or the PIN.
 *
 * @since 0.1.0
 */
export * as Card from "./Card.js"

/**
 * Cardholders, to whom cards are issued (interface section 2.8).
 *
 * @since 0.1.0
 */
export * as Cardholder from "./Cardholder.js"

/**
 * Lists cardholders without personal data, and reads the personal data of one.
 *
 * @since 0.1.0
 */
export * as Cardholders from "./Cardholders.js"

/**
 * The wire format of the cardholder operations (interface sections 4.13 and 4.14).
 *
 * @since 0.1.0
 */
export * as CardholdersApi from "./CardholdersApi.js"

/**
 * Issues and lists virtual cards.
 *
 * @since 0.1.0
 */
export * as Cards from "./Cards.js"

/**
 * The wire format of the card operations (interface sections 4.11 and 4.12).
 *
 * @since 0.1.0
 */
export * as CardsApi from "./CardsApi.js"
