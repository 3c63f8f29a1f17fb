export * as PaymentIntent from "./PaymentIntent.js"
export * as Payments from "./Payments.js"
export * as PaymentsApi from "./PaymentsApi.js"
