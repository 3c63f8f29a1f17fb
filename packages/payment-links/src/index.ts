export * as PaymentLink from "./PaymentLink.js"
export * as PaymentLinks from "./PaymentLinks.js"
export * as PaymentLinksApi from "./PaymentLinksApi.js"
