/**
 * Outcomes on demand: a magic phone number or amount, the request header `X-Sandbox-Outcome`, or a fault rule
 * makes a request end in one of them.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Fault from "./Fault.js"

/**
 * The header that names an outcome.
 *
 * @since 0.1.0
 * @category constants
 */
export const header = "x-sandbox-outcome"

/**
 * Phone numbers with this prefix are magic. No country has it.
 *
 * @since 0.1.0
 * @category constants
 */
export const phonePrefix = "+999"

/**
 * The effect of an outcome on the request.
 *
 * @since 0.1.0
 * @category models
 */
export type Behaviour = Settles | StaysPending | LinkBecomes | Refuses | Wire

/**
 * A payment intent or a payout settles with this status.
 *
 * @since 0.1.0
 * @category models
 */
export interface Settles {
  readonly _tag: "Settles"
  readonly status: string
  /** Defaults to the delay of the sandbox (`settleAfter`). */
  readonly afterMillis?: number
}

/**
 * A payment intent or a payout stays `PENDING`, until a control settles it.
 *
 * @since 0.1.0
 * @category models
 */
export interface StaysPending {
  readonly _tag: "StaysPending"
}

/**
 * A payment link has this status as soon as it is created.
 *
 * @since 0.1.0
 * @category models
 */
export interface LinkBecomes {
  readonly _tag: "LinkBecomes"
  readonly status: "INACTIVE" | "EXPIRED"
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
 * A fault of the network or of the response.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wire {
  readonly _tag: "Wire"
  readonly fault: Exclude<Fault.Fault, Fault.Outcome>
  /**
   * Whether it applies only to the first request with an idempotency key, so that a retry succeeds.
   * Requests without a key always meet it.
   */
  readonly once: boolean
}

/**
 * An outcome that a request can ask for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Outcome {
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

const settling: ReadonlyArray<Fault.OperationName> = ["Payments.create", "Payouts.create"]
const payments: ReadonlyArray<Fault.OperationName> = ["Payments.create"]
const payouts: ReadonlyArray<Fault.OperationName> = ["Payouts.create"]
const links: ReadonlyArray<Fault.OperationName> = ["PaymentLinks.create"]
const cards: ReadonlyArray<Fault.OperationName> = ["Cards.issue"]
const debits: ReadonlyArray<Fault.OperationName> = ["Payouts.create", "Cards.issue"]
const writes: ReadonlyArray<Fault.OperationName> = [...settling, ...links, ...cards]

const minute = 60_000
const day = 86_400_000

const settles = (status: string, afterMillis?: number): Settles => ({
  _tag: "Settles",
  status,
  ...(afterMillis === undefined ? {} : { afterMillis })
})

const refuses = (code: string, message: string, status = 422): Refuses => ({
  _tag: "Refuses",
  status,
  code,
  message
})

const once = (fault: Wire["fault"]): Wire => ({ _tag: "Wire", fault, once: true })
const always = (fault: Wire["fault"]): Wire => ({ _tag: "Wire", fault, once: false })

const envelope = (code: string, message: string): string =>
  JSON.stringify({
    success: false,
    data: { error: { code, message } },
    meta: { correlation_id: null }
  })

const html = { contentType: "text/html" }
const badGateway = "<html><body><h1>502 Bad Gateway</h1></body></html>"

type Row = readonly [
  code: string,
  name: string,
  operations: ReadonlyArray<Fault.OperationName> | undefined,
  effect: Behaviour,
  summary: string
]

const rows: ReadonlyArray<Row> = [
  ["01", "completes_at_once", settling, settles("COMPLETED", 0), "COMPLETED at the first read"],
  ["02", "completes_late", settling, settles("COMPLETED", minute), "COMPLETED after 1 minute"],
  ["03", "completes_next_day", settling, settles("COMPLETED", day), "COMPLETED after 24 hours"],
  ["04", "stays_pending", settling, { _tag: "StaysPending" }, "PENDING for ever"],
  ["05", "fails", settling, settles("FAILED"), "FAILED after the usual delay"],
  ["06", "fails_at_once", settling, settles("FAILED", 0), "FAILED at the first read"],
  ["07", "fails_late", settling, settles("FAILED", minute), "FAILED after 1 minute"],
  ["08", "cancelled", settling, settles("CANCELLED"), "CANCELLED after the usual delay"],
  ["09", "rejected", settling, settles("REJECTED"), "REJECTED after the usual delay"],
  ["10", "expires", settling, settles("EXPIRED", 5 * minute), "EXPIRED after 5 minutes"],
  ["11", "reversed", settling, settles("REVERSED"), "REVERSED after the usual delay"],
  ["12", "unknown_status", settling, settles("UNDER_REVIEW"), "a status that no client knows"],
  [
    "20",
    "insufficient_funds",
    writes,
    refuses("INSUFFICIENT_FUNDS", "The wallet has insufficient funds."),
    "the payer or the wallet has too little money"
  ],
  [
    "21",
    "amount_too_small",
    writes,
    refuses("AMOUNT_TOO_SMALL", "The amount is below the minimum."),
    "the amount is below the minimum"
  ],
  [
    "22",
    "amount_too_large",
    writes,
    refuses("AMOUNT_TOO_LARGE", "The amount is above the maximum."),
    "the amount is above the maximum"
  ],
  [
    "23",
    "daily_limit_reached",
    writes,
    refuses("DAILY_LIMIT_REACHED", "The daily limit is reached."),
    "a limit per day is reached"
  ],
  [
    "24",
    "invalid_phone_number",
    settling,
    refuses("INVALID_PHONE_NUMBER", "The provider does not know the phone number."),
    "the provider does not know the number"
  ],
  [
    "25",
    "account_blocked",
    settling,
    refuses("ACCOUNT_BLOCKED", "The provider blocked the mobile money account."),
    "the mobile money account is blocked"
  ],
  [
    "26",
    "otp_required",
    payments,
    refuses("OTP_REQUIRED", "A one-time code is required."),
    "the payment needs a one-time code"
  ],
  [
    "27",
    "otp_invalid",
    payments,
    refuses("OTP_INVALID", "The one-time code is wrong."),
    "the one-time code is wrong"
  ],
  [
    "28",
    "otp_expired",
    payments,
    refuses("OTP_EXPIRED", "The one-time code is expired."),
    "the one-time code is expired"
  ],
  [
    "29",
    "provider_unavailable",
    settling,
    refuses("SERVICE_UNAVAILABLE", "The service is currently unavailable."),
    "the provider is down"
  ],
  [
    "30",
    "wallet_frozen",
    debits,
    refuses("WALLET_FROZEN", "The wallet is frozen."),
    "the wallet is frozen"
  ],
  [
    "31",
    "beneficiary_limit",
    payouts,
    refuses("BENEFICIARY_LIMIT_REACHED", "The beneficiary cannot receive this amount."),
    "the beneficiary's account is full"
  ],
  [
    "32",
    "duplicate",
    writes,
    refuses("DUPLICATE", "A similar operation is in progress.", 409),
    "409: a similar operation is in progress"
  ],
  [
    "33",
    "kyb_not_approved",
    undefined,
    always(
      Fault.status(403, { body: envelope("ACCOUNT_STATE", "The account's KYB is not approved.") })
    ),
    "403: the account may not do this"
  ],
  [
    "34",
    "card_refused",
    cards,
    refuses("CARD_REFUSED", "The card issuer refused the card."),
    "the issuer refuses the card"
  ],
  [
    "35",
    "cardholder_not_verified",
    cards,
    refuses("CARDHOLDER_NOT_VERIFIED", "The cardholder is not verified."),
    "the cardholder is not verified"
  ],
  [
    "38",
    "link_used",
    links,
    { _tag: "LinkBecomes", status: "INACTIVE" },
    "the link is used up at once"
  ],
  [
    "39",
    "link_expired",
    links,
    { _tag: "LinkBecomes", status: "EXPIRED" },
    "the link is expired at once"
  ],
  [
    "50",
    "request_lost",
    undefined,
    once(Fault.dropBefore()),
    "connection closed before processing"
  ],
  ["51", "answer_lost", undefined, once(Fault.dropAfter()), "processed, then connection closed"],
  [
    "52",
    "requests_lost",
    undefined,
    always(Fault.dropBefore()),
    "every connection closed before processing"
  ],
  [
    "53",
    "answers_lost",
    undefined,
    always(Fault.dropAfter()),
    "every connection closed after processing"
  ],
  [
    "54",
    "slow",
    undefined,
    always(Fault.delay("5 seconds")),
    "processed, answered after 5 seconds"
  ],
  [
    "55",
    "very_slow",
    undefined,
    once(Fault.delay("1 minute")),
    "processed, answered after 1 minute"
  ],
  [
    "56",
    "never_answered",
    undefined,
    once(Fault.delay(Duration.infinity)),
    "processed, never answered"
  ],
  ["60", "bad_request", undefined, once(Fault.status(400)), "400, not processed"],
  ["61", "token_refused", undefined, once(Fault.status(401)), "401, not processed"],
  ["62", "request_timeout", undefined, once(Fault.status(408)), "408, not processed"],
  ["63", "conflict", undefined, once(Fault.status(409)), "409, not processed"],
  [
    "64",
    "rate_limited",
    undefined,
    once(Fault.status(429, { retryAfter: 1 })),
    "429 with Retry-After: 1"
  ],
  [
    "65",
    "rate_limited_always",
    undefined,
    always(Fault.status(429, { retryAfter: 1 })),
    "429 for every request"
  ],
  ["66", "server_error", undefined, once(Fault.status(500)), "500, not processed"],
  [
    "67",
    "server_error_after",
    undefined,
    once(Fault.status(500, { processed: true })),
    "500, processed"
  ],
  [
    "68",
    "bad_gateway",
    undefined,
    once(Fault.status(502, { body: badGateway, processed: true, ...html })),
    "502 with HTML, processed"
  ],
  [
    "69",
    "maintenance",
    undefined,
    always(Fault.status(503, { retryAfter: 86_400 })),
    "503 with Retry-After: a day"
  ],
  [
    "70",
    "unavailable",
    undefined,
    once(Fault.status(503, { retryAfter: 1 })),
    "503 with Retry-After: 1"
  ],
  [
    "71",
    "gateway_timeout",
    undefined,
    once(Fault.status(504, { processed: true })),
    "504, processed"
  ],
  ["72", "unknown_client_error", undefined, once(Fault.status(418)), "418, not processed"],
  ["73", "redirect", undefined, once(Fault.status(302)), "302, not processed"],
  [
    "74",
    "no_content",
    undefined,
    once(Fault.status(204, { processed: true })),
    "204 without a body, processed"
  ],
  ["80", "empty_body", undefined, once(Fault.body("")), "processed, empty body"],
  [
    "81",
    "truncated_body",
    undefined,
    once(Fault.body(`{"success":true,"data":{"id":"`)),
    "processed, half of an envelope"
  ],
  ["82", "html_body", undefined, once(Fault.body("<html>OK</html>", html)), "processed, HTML"],
  [
    "83",
    "null_data",
    undefined,
    once(Fault.body(`{"success":true,"data":null}`)),
    "processed, data is null"
  ],
  [
    "84",
    "empty_data",
    undefined,
    once(Fault.body(`{"success":true,"data":{}}`)),
    "processed, data without members"
  ],
  [
    "85",
    "wrong_types",
    undefined,
    once(
      Fault.body(
        `{"success":true,"data":{"id":1,"reference":2,"status":3,"amount":4,"currency":5}}`
      )
    ),
    "processed, numbers for strings"
  ],
  [
    "86",
    "error_with_success_status",
    undefined,
    once(Fault.body(envelope("FAILED", "The operation failed."))),
    "processed, an error envelope with a 2xx"
  ],
  [
    "87",
    "success_false",
    undefined,
    once(Fault.body(`{"success":false}`)),
    "processed, an envelope without an error"
  ],
  [
    "88",
    "prototype_members",
    undefined,
    once(Fault.body(`{"__proto__":{"success":true},"constructor":{}}`)),
    "processed, hostile member names"
  ],
  [
    "89",
    "not_utf8",
    undefined,
    once(Fault.body(Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d))),
    "processed, invalid UTF-8"
  ],
  [
    "90",
    "deep_body",
    undefined,
    once(Fault.body("[".repeat(50_000) + "]".repeat(50_000))),
    "processed, nested 50,000 levels deep"
  ],
  [
    "91",
    "large_body",
    undefined,
    once(Fault.body(`{"success":true,"data":"${"x".repeat(12 * 1024 * 1024)}"}`)),
    "processed, 12 MiB"
  ]
]

/**
 * All outcomes.
 *
 * @since 0.1.0
 * @category outcomes
 */
export const outcomes: ReadonlyArray<Outcome> = rows.map(
  ([code, name, operations, effect, summary]) => ({
    code,
    name,
    ...(operations === undefined ? {} : { operations }),
    effect,
    summary
  })
)

/**
 * The outcome of a name.
 *
 * @since 0.1.0
 * @category outcomes
 */
export const named = (name: string): Outcome | undefined =>
  outcomes.find((one) => one.name === name)

/**
 * The magic phone number of an outcome, such as `+999000000005`.
 *
 * @example
 * import * as Outcome from "@manilla/sandbox/Outcome"
 *
 * const numbers = Outcome.outcomes.map((outcome) => [outcome.name, Outcome.phoneNumber(outcome)])
 *
 * @since 0.1.0
 * @category outcomes
 */
export const phoneNumber = ({ code }: Outcome): string => `${phonePrefix}0000000${code}`

/**
 * The magic amount of an outcome, such as `999.9905`. Prices have no fractions of a cent.
 *
 * @since 0.1.0
 * @category outcomes
 */
export const amount = ({ code }: Outcome): string => `999.99${code}`

/**
 * Whether an outcome applies to an operation.
 *
 * @since 0.1.0
 * @category outcomes
 */
export const appliesTo = ({ operations }: Outcome, operation: string | undefined): boolean =>
  operations === undefined || operations.some((name) => name === operation)

/**
 * The table of all outcomes, in Markdown.
 *
 * @since 0.1.0
 * @category printing
 */
export const table = (): string =>
  [
    "| name | phone number | amount | operations | outcome |",
    "| --- | --- | --- | --- | --- |",
    ...outcomes.map((one) =>
      [
        "",
        ` \`${one.name}\` `,
        ` \`${phoneNumber(one)}\` `,
        ` \`${amount(one)}\` `,
        ` ${one.operations?.map((name) => `\`${name}\``).join(", ") ?? "all"} `,
        ` ${one.summary}${one.effect._tag === "Wire" && one.effect.once ? "; once per key" : ""} `,
        ""
      ].join("|")
    ),
    ""
  ].join("\n")
