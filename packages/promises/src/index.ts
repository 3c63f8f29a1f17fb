/**
 * All that a program with promises imports. The package that is published is a bundle of it, whose declarations have the
 * exports without types of Effect.
 *
 * @since 0.1.0
 */
export * as Amount from "@manilla/core/Amount"
export * as Card from "@manilla/cards/Card"
export * as Cardholder from "@manilla/cards/Cardholder"
export * as Errors from "@manilla/core/Errors"
export * as IdempotencyKey from "@manilla/core/IdempotencyKey"
export * as Identifier from "@manilla/core/Identifier"
export * as PaymentIntent from "@manilla/payments/PaymentIntent"
export * as PaymentLink from "@manilla/payment-links/PaymentLink"
export * as Payments from "@manilla/payments/Payments"
export * as Payout from "@manilla/payouts/Payout"
export * as Payouts from "@manilla/payouts/Payouts"
export * as Promises from "./Promises.js"
export * as Redacted from "effect/Redacted"
export * as Refund from "@manilla/refunds/Refund"
export * as Transaction from "@manilla/transactions/Transaction"
