/**
 * Scenarios: a magic phone number or amount, the request header `X-Sandbox-Scenario`, or a fault makes
 * a request meet one of them.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Fault from "./Fault.js"
import { oneOf } from "./internal/rules/limits.js"
import type * as ServiceApi from "@manilla/service/ServiceApi"

/**
 * The header that names a scenario.
 *
 * @since 0.1.0
 * @category constants
 */
export const header = "x-sandbox-scenario"

/**
 * Phone numbers with this prefix are magic. No country has it.
 *
 * @since 0.1.0
 * @category constants
 */
export const phonePrefix = "+999"

/**
 * The effect of a scenario on the request.
 *
 * @since 0.1.0
 * @category models
 */
export type Behaviour = Becomes | Refuses | Suffers

/**
 * The payment intent, the payout or the payment link gets this status later. If the status is `PENDING`, it stays so
 * until a control settles it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Becomes {
  readonly _tag: "Becomes"
  readonly status: string
  /** Defaults to the delay of the sandbox (`settleAfter`). */
  readonly afterMillis?: number
}

/**
 * A business rule refuses the request. Nothing is created and no money moves.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refuses {
  readonly _tag: "Refuses"
  readonly status: number
  readonly code: string
  readonly message: string
}

/**
 * A fault applies to the request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Suffers {
  readonly _tag: "Suffers"
  readonly fault: Fault.Fault
  /**
   * Whether it applies only to the first request with an idempotency key, so that a retry succeeds.
   * Requests without a key always meet it.
   */
  readonly once: boolean
}

/**
 * A scenario that a request can ask for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Scenario {
  /** Such as `insufficient_funds`. */
  readonly name: string
  /** The last two digits of the magic phone number and amount. */
  readonly code: string
  readonly summary: string
  /** The operations that it applies to; all of them if `undefined`. */
  readonly operations?: ReadonlyArray<Fault.OperationName>
  /** The effect on the request. */
  readonly effect: Behaviour
}

const payments = ["Payments.create"] as const
const payouts = ["Payouts.create"] as const
const links = ["PaymentLinks.create"] as const
const cards = ["Cards.issue"] as const

/** The properties of a write on which its scenarios depend. */
interface Traits {
  /** Whether it settles later. */
  readonly settles: boolean
  /** Whether it debits a wallet. */
  readonly debits: boolean
  /** The fields of its body that can be magic. A phone number is that of a mobile money account. */
  readonly amount: string
  readonly phone: string | undefined
}

/** The traits of each declared write. The compiler reports a missing one. */
const traits: Readonly<Record<ServiceApi.WriteName, Traits>> = {
  "Payments.create": {
    settles: true,
    debits: false,
    amount: "amount",
    phone: "payer.phone_number"
  },
  "Payouts.create": { settles: true, debits: true, amount: "amount", phone: "destination" },
  "PaymentLinks.create": { settles: false, debits: false, amount: "amount", phone: undefined },
  "Cards.issue": { settles: false, debits: true, amount: "initial_balance", phone: undefined }
}

const writes = Record.keys(traits)
const settling: ReadonlyArray<ServiceApi.WriteName> = writes.filter((name) => traits[name].settles)
const debits = writes.filter((name) => traits[name].debits)
const withPhone = writes.filter((name) => traits[name].phone !== undefined)

const becomes = (
  code: string,
  name: string,
  status: string,
  after?: Duration.DurationInput & string,
  summary = `${status} after ${after ?? "the usual delay"}`,
  operations: ReadonlyArray<ServiceApi.WriteName> = settling
): Scenario => ({
  code,
  name,
  operations,
  effect: {
    _tag: "Becomes",
    status,
    ...(after !== undefined && { afterMillis: Duration.toMillis(after) })
  },
  summary
})

const linkBecomes = (code: string, name: string, status: string): Scenario =>
  becomes(code, name, status, "0 seconds", `the link is ${status} at once`, links)

/** The code of the refusal is the name of the scenario. */
const refuses = (
  code: string,
  name: string,
  operations: ReadonlyArray<Fault.OperationName>,
  message: string,
  status = 422
): Scenario => ({
  code,
  name,
  operations,
  effect: { _tag: "Refuses", status, code: name.toUpperCase(), message },
  summary: `${status}: ${message}`
})

const suffers =
  (once: boolean) =>
  (code: string, name: string, fault: Fault.Fault, summary = summaryOf(fault)): Scenario => ({
    code,
    name,
    effect: { _tag: "Suffers", fault, once },
    summary
  })

const once = suffers(true)
const always = suffers(false)

const summaryOf = (fault: Fault.Fault): string => {
  switch (fault.fault) {
    case "drop_before":
      return "connection closed before processing"
    case "drop_after":
      return "processed, then connection closed"
    case "delay": {
      const { milliseconds } = fault
      return Number.isFinite(milliseconds)
        ? `processed, answered after ${milliseconds / 1000} seconds`
        : "processed, never answered"
    }
    case "status": {
      const { processed = false, retry_after, status } = fault
      const header = retry_after === undefined ? "" : ` with Retry-After: ${retry_after}`
      return `${status}${header}, ${processed ? "processed" : "not processed"}`
    }
    case "body":
      return "processed, another body"
  }
}

const envelope = (code: string, message: string): string =>
  JSON.stringify({
    success: false,
    data: { error: { code, message } },
    meta: { correlation_id: null }
  })

const html = { content_type: "text/html" }
const badGateway = "<html><body><h1>502 Bad Gateway</h1></body></html>"
const processed = { processed: true }

const noKyb = envelope("ACCOUNT_STATE", "The account's KYB is not approved.")
const failed = envelope("FAILED", "The operation failed.")
const numbers = `{"success":true,"data":{"id":1,"reference":2,"status":3,"amount":4,"currency":5}}`
const half = `{"success":true,"data":{"id":"`
const noError = `{"success":false}`
const hostile = `{"__proto__":{"success":true},"constructor":{}}`
const deep = "[".repeat(50_000) + "]".repeat(50_000)
const large = `{"success":true,"data":"${"x".repeat(12 * 1024 * 1024)}"}`

/**
 * All scenarios.
 *
 * @since 0.1.0
 * @category scenarios
 */
export const scenarios: ReadonlyArray<Scenario> = [
  becomes("01", "completes_at_once", "COMPLETED", "0 seconds"),
  becomes("02", "completes_late", "COMPLETED", "1 minute"),
  becomes("03", "completes_next_day", "COMPLETED", "24 hours"),
  becomes("04", "stays_pending", "PENDING", "0 seconds", "PENDING for ever"),
  becomes("05", "fails", "FAILED"),
  becomes("06", "fails_at_once", "FAILED", "0 seconds"),
  becomes("07", "fails_late", "FAILED", "1 minute"),
  becomes("08", "cancelled", "CANCELLED"),
  becomes("09", "rejected", "REJECTED"),
  becomes("10", "expires", "EXPIRED", "5 minutes"),
  becomes("11", "reversed", "REVERSED"),
  becomes("12", "unknown_status", "UNDER_REVIEW"),

  refuses("20", "insufficient_funds", writes, "The wallet has insufficient funds."),
  refuses("21", "amount_too_small", writes, "The amount is below the minimum."),
  refuses("22", "amount_too_large", writes, "The amount is above the maximum."),
  refuses("23", "daily_limit_reached", writes, "The daily limit is reached."),
  refuses("24", "invalid_phone_number", withPhone, "The provider does not know the phone number."),
  refuses("25", "account_blocked", withPhone, "The provider blocked the mobile money account."),
  refuses("26", "otp_required", payments, "A one-time code is required."),
  refuses("27", "otp_invalid", payments, "The one-time code is wrong."),
  refuses("28", "otp_expired", payments, "The one-time code is expired."),
  refuses("29", "provider_unavailable", settling, "The provider is currently unavailable."),
  refuses("30", "wallet_frozen", debits, "The wallet is frozen."),
  refuses("31", "beneficiary_limit", payouts, "The beneficiary cannot receive this amount."),
  refuses("32", "duplicate", writes, "A similar operation is in progress.", 409),
  always("33", "kyb_not_approved", Fault.status(403, { body: noKyb })),
  refuses("34", "card_refused", cards, "The card issuer refused the card."),
  refuses("35", "cardholder_not_verified", cards, "The cardholder is not verified."),
  linkBecomes("38", "link_used", "INACTIVE"),
  linkBecomes("39", "link_expired", "EXPIRED"),

  once("50", "request_lost", Fault.dropBefore()),
  once("51", "response_lost", Fault.dropAfter()),
  always("52", "requests_lost", Fault.dropBefore()),
  always("53", "responses_lost", Fault.dropAfter()),
  always("54", "slow", Fault.delay("5 seconds")),
  once("55", "very_slow", Fault.delay("1 minute")),
  once("56", "never_answered", Fault.delay(Duration.infinity)),

  once("60", "bad_request", Fault.status(400)),
  once("61", "token_rejected", Fault.status(401)),
  once("62", "request_timeout", Fault.status(408)),
  once("63", "conflict", Fault.status(409)),
  once("64", "rate_limited", Fault.status(429, { retry_after: 1 })),
  always("65", "rate_limited_always", Fault.status(429, { retry_after: 1 })),
  once("66", "server_error", Fault.status(500)),
  once("67", "server_error_after", Fault.status(500, processed)),
  once("68", "bad_gateway", Fault.status(502, { body: badGateway, ...processed, ...html })),
  always("69", "maintenance", Fault.status(503, { retry_after: 86_400 })),
  once("70", "unavailable", Fault.status(503, { retry_after: 1 })),
  once("71", "gateway_timeout", Fault.status(504, processed)),
  once("72", "unknown_client_error", Fault.status(418)),
  once("73", "redirect", Fault.status(302)),
  once("74", "no_content", Fault.status(204, processed)),
  once("75", "unavailable_after", Fault.status(503, processed)),
  once("76", "not_found", Fault.status(404)),
  once("77", "unprocessable", Fault.status(422)),
  once("78", "forbidden", Fault.status(403)),

  once("80", "empty_body", Fault.body(""), "processed, no body"),
  once("81", "truncated_body", Fault.body(half), "processed, half of JSON"),
  once("82", "html_body", Fault.body("<html>OK</html>", html), "processed, HTML"),
  once("83", "null_data", Fault.body(`{"success":true,"data":null}`), "processed, data is null"),
  once("84", "empty_data", Fault.body(`{"success":true,"data":{}}`), "processed, data is empty"),
  once("85", "wrong_types", Fault.body(numbers), "processed, numbers for strings"),
  once("86", "error_with_success_status", Fault.body(failed), "processed, an error with a 2xx"),
  once("87", "success_false", Fault.body(noError), "processed, no error in its envelope"),
  once("88", "prototype_members", Fault.body(hostile), "processed, hostile member names"),
  once("89", "not_utf8", Fault.body(Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d)), "processed, no UTF-8"),
  once("90", "deep_body", Fault.body(deep), "processed, nested 50,000 levels deep"),
  once("91", "large_body", Fault.body(large), "processed, 12 MiB")
]

/**
 * The scenario of a name.
 *
 * @since 0.1.0
 * @category scenarios
 */
export const named = (name: string): Scenario | undefined =>
  scenarios.find((one) => one.name === name)

/**
 * The magic phone number of a scenario, such as `+999000000005`.
 *
 * @example
 * import * as Scenario from "@manilla/sandbox/Scenario"
 *
 * const numbers = Scenario.scenarios.map((scenario) => [scenario.name, Scenario.phoneNumber(scenario)])
 *
 * @since 0.1.0
 * @category scenarios
 */
export const phoneNumber = ({ code }: Scenario): string => `${phonePrefix}0000000${code}`

/**
 * The magic amount of a scenario, such as `999.9905`. Prices have no fractions of a cent.
 *
 * @since 0.1.0
 * @category scenarios
 */
export const amount = ({ code }: Scenario): string => `999.99${code}`

/**
 * The fields of the body of a write that can have a magic value: an amount, and a phone number if it has one.
 *
 * @since 0.1.0
 * @category scenarios
 */
export const magicFields = (
  operation: string | undefined
): Pick<Traits, "amount" | "phone"> | undefined =>
  Record.toEntries(traits).find(([name]) => name === operation)?.[1]

/**
 * Whether a scenario applies to an operation.
 *
 * @since 0.1.0
 * @category scenarios
 */
export const appliesTo = ({ operations }: Scenario, operation: string | undefined): boolean =>
  operations === undefined || operations.some((name) => name === operation)

/**
 * Whether a scenario applies only to the first request with an idempotency key.
 *
 * @since 0.1.0
 * @category scenarios
 */
export const isOncePerKey = ({ effect }: Scenario): boolean =>
  effect._tag === "Suffers" && effect.once

/**
 * A fault that makes requests meet a scenario. It applies to the operations of the scenario only.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Requested = Fault.declare("scenario", "Meets this scenario", {
  scenario: oneOf(...scenarios.map(({ name }) => name))
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Requested extends Schema.Schema.Type<typeof Requested> {}

/**
 * Makes requests meet a scenario, such as `insufficient_funds`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const request = (scenario: string, target: Fault.Target = {}): Requested => ({
  fault: "scenario",
  scenario,
  ...target
})

/**
 * A fault that can be added to the queue.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FaultRule = Schema.Union(...Fault.Fault.members, Requested).annotations({
  identifier: "FaultRule"
})

/**
 * @since 0.1.0
 * @category models
 */
export type FaultRule = typeof FaultRule.Type

/**
 * A fault in the queue.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PendingFault = Schema.Struct({
  id: Schema.String,
  /** How many requests it still applies to. */
  remaining: Fault.Count,
  rule: FaultRule
}).annotations({ identifier: "PendingFault" })

/**
 * @since 0.1.0
 * @category models
 */
export interface PendingFault extends Schema.Schema.Type<typeof PendingFault> {}
