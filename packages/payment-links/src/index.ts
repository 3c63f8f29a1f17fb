/**
 * The payment link: a hosted page on which a payer pays (interface sections 2.4 and 4.8).
 *
 * @since 0.1.0
 */
export * as PaymentLink from "./PaymentLink.js"

/**
 * Hosted payment links: create, list, and watch them.
 *
 * @since 0.1.0
 */
export * as PaymentLinks from "./PaymentLinks.js"

/**
 * The payment link operations as they are on the wire (interface sections 4.8 to 4.10). They are
 * reserved to business accounts with approved KYB.
 *
 * @since 0.1.0
 */
export * as PaymentLinksApi from "./PaymentLinksApi.js"
