/**
 * The calls that control a sandbox, each declared once. `Sandbox` has them in process, a running sandbox
 * serves them below `/_sandbox` on the port of `{base_url}`, and `ControlClient` calls them from another
 * process. They are no part of the emulated service.
 *
 * @since 0.1.0
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Card from "@manilla/cards/Card"
import * as Cardholder from "@manilla/cards/Cardholder"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as Errors from "@manilla/core/Errors"
import * as Text from "@manilla/core/Text"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Wallet from "@manilla/core/Wallet"
import * as PaymentLink from "@manilla/payment-links/PaymentLink"
import * as Refund from "@manilla/refunds/Refund"
import * as Transaction from "@manilla/transactions/Transaction"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { numberBetween, oneOf, whole } from "./internal/rules/limits.js"
import * as state from "./internal/store/state.js"
import * as ledger from "./Ledger.js"
import * as Scenario from "./Scenario.js"

/**
 * The path below which the control API is.
 *
 * @since 0.1.0
 * @category constants
 */
export const root = "/_sandbox"

/**
 * The largest number of pending faults.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxFaults = 1000

/**
 * The largest number of characters of a body or a response that `requests` returns.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxBodyLength = 16_384

/**
 * The error of every control call. Its status is 403 for a caller that is not allowed, 404 for an unknown
 * path or id, 422 for a request that violates a rule, and 500 for a bug in the sandbox.
 *
 * @since 0.1.0
 * @category errors
 */
export class ControlError extends Schema.TaggedError<ControlError>("@manilla/sandbox/ControlError")(
  "ControlError",
  {
    status: Schema.Literal(403, 404, 422, 500),
    code: Schema.String,
    message: Schema.String,
    /** The invalid fields, each with its rule. */
    issues: Schema.Array(Errors.Issue)
  },
  { identifier: "ControlError" }
) {}

/** The number of rows of a list. */
const limit = (byDefault: number) =>
  Schema.optional(whole(Schema.NumberFromString, 1, 1000, { default: byDefault }))

/**
 * The response of the health check: the sandbox is ready to serve requests.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Health = Schema.Struct({ status: Schema.Literal("ready") }).annotations({
  identifier: "Health"
})

/**
 * The current credentials, and the addresses that they are for.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Credentials = Schema.Struct({
  client_id: Schema.String,
  client_secret: Schema.Redacted(Schema.String),
  base_url: Schema.String,
  auth_url: Schema.String
}).annotations({ identifier: "Credentials" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Credentials extends Schema.Schema.Type<typeof Credentials> {}

/**
 * The options of a reset, which restores the initial state of the sandbox.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Reset = Schema.Struct({
  /** The seed of identifiers, instead of the sandbox's own. */
  seed: Schema.optional(Schema.Union(Text.atMost(100), Schema.Number.pipe(Schema.finite())))
}).annotations({ identifier: "Reset" })

/** Timestamps have years of four digits. A restored clock goes on, and plans what is due later. */
const latestMillis = Date.UTC(9900, 0) - 1

/**
 * The state of a sandbox: identifiers, credentials and tokens, the clock and what it will settle,
 * idempotency keys, faults, wallets, the ledger and all resources. The options of the sandbox and its log
 * of requests are no part of it. It contains secrets and phone numbers in plain text.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Snapshot = Schema.Struct({
  format: Schema.Literal("manilla-sandbox"),
  version: Schema.Int,
  /** The sandbox's time, in milliseconds since 1970, before the year 9900. */
  now_ms: Schema.JsonNumber.pipe(
    Schema.between(0, latestMillis, { description: `a number from 0 to ${latestMillis}` })
  ),
  state: Schema.Record({ key: Schema.String, value: Schema.Unknown })
}).annotations({ identifier: "Snapshot" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Snapshot extends Schema.Schema.Type<typeof Snapshot> {}

const days = 36_525

/**
 * How idempotency keys behave where the interface does not say it. A client is safe with the service only if
 * it is safe with every combination.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Idempotency = Schema.Struct({
  /** The response to a known key with another request: a status, or the first result. Defaults to 422. */
  other_body: oneOf(422, 409, "replay"),
  /**
   * The response to a key whose first request is not answered yet: 409, the result as soon as that is
   * answered (`"wait"`), or the result at once (`"replay"`). Defaults to `"replay"`.
   */
  in_flight: oneOf("replay", 409, "wait"),
  /** Whether a refused request uses up its key, and is refused again. Defaults to `"again"`: it is not. */
  failures: oneOf("again", "replay"),
  /** How long a key is known; `null` for ever, which is the default. */
  retention_seconds: Schema.NullOr(numberBetween(0, days * 86_400))
}).annotations({ identifier: "Idempotency" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Idempotency extends Schema.Schema.Type<typeof Idempotency> {}

/**
 * The settings of a profile. A setting that is left out has its default.
 *
 * @since 0.1.0
 * @category schemas
 */
export const IdempotencyChange = Schema.partialWith(Idempotency, { exact: true }).annotations({
  identifier: "IdempotencyChange"
})

/**
 * @since 0.1.0
 * @category models
 */
export interface IdempotencyChange extends Schema.Schema.Type<typeof IdempotencyChange> {}

/**
 * A request that the service received.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Exchange = Schema.Struct({
  /** The number of requests that arrived earlier. */
  index: Schema.Number,
  /** The sandbox's time of arrival. */
  at: Timestamp.Timestamp,
  method: Schema.String,
  /** The path of the request, without its query. */
  path: Schema.String,
  /** Such as `Payments.create`; `null` for an unknown route. */
  operation: Schema.NullOr(Schema.String),
  /** The idempotency key. */
  key: Schema.NullOr(Schema.String),
  ending: oneOf("answered", "request lost", "response lost", "caller left", "open"),
  /** The status of the response, if there was one. */
  status: Schema.NullOr(Schema.Number),
  took_ms: Schema.NullOr(Schema.Number),
  /** Whether the result of an earlier request with the same key was returned. */
  replay: Schema.Boolean,
  /** The fault that applied. */
  fault: Schema.NullOr(Schema.String),
  /** Whether the service received it: `false` if a fault answered or closed the connection first. */
  reached_service: Schema.Boolean,
  correlation_id: Schema.String,
  /** The error of the response; `null` if it has none. */
  error: Schema.NullOr(
    Schema.Struct({
      code: Schema.String,
      message: Schema.String,
      details: Schema.optional(Schema.Unknown)
    })
  ),
  /** The reference of the resource in the response, or else its id. */
  reference: Schema.NullOr(Schema.String),
  /** Values that the service may refuse though the sandbox accepts them. */
  warnings: Schema.Array(Schema.String),
  body_bytes: Schema.Number,
  /** The first 16,384 characters of the body without secrets; `null` unless bodies were requested. */
  body: Schema.NullOr(Schema.String),
  response_bytes: Schema.Number,
  /** The same of the response. */
  response: Schema.NullOr(Schema.String)
}).annotations({ identifier: "Exchange" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Exchange extends Schema.Schema.Type<typeof Exchange> {}

/**
 * The ledger. Its journal is limited to the newest entries, oldest first.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Ledger = Schema.Struct({
  balances: Schema.Array(ledger.Balance),
  /** The number of all entries. */
  entries: Schema.Number,
  journal: Schema.Array(ledger.JournalEntry)
}).annotations({ identifier: "Ledger" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Ledger extends Schema.Schema.Type<typeof Ledger> {}

/**
 * A wallet with its balances.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WalletBalances = Schema.Struct({
  id: Wallet.WalletId,
  currency: Currency.Currency,
  available: Amount.Amount,
  reserved: Amount.Amount
}).annotations({ identifier: "Wallet" })

/**
 * @since 0.1.0
 * @category models
 */
export interface WalletBalances extends Schema.Schema.Type<typeof WalletBalances> {}

/**
 * The latest resources of each kind, newest first.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Resources = Schema.Struct({
  payments: Schema.Array(state.PaymentRow),
  payouts: Schema.Array(state.PayoutRow),
  transactions: Schema.Array(state.TransactionRow),
  refunds: Schema.Array(state.RefundRow),
  payment_links: Schema.Array(PaymentLink.PaymentLink),
  cards: Schema.Array(Card.Card),
  cardholders: Schema.Array(Cardholder.Cardholder)
}).annotations({ identifier: "Resources" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Resources extends Schema.Schema.Type<typeof Resources> {}

/**
 * A scenario that a request can ask for.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Scenarios = Schema.Array(
  Schema.Struct({
    name: Schema.String,
    summary: Schema.String,
    /** `null`: all of them. */
    operations: Schema.NullOr(Schema.Array(Schema.String)),
    phone_number: Schema.String,
    amount: Schema.String,
    /** Whether it applies only to the first request with an idempotency key. */
    once_per_key: Schema.Boolean
  }).annotations({ identifier: "Scenario" })
)

/**
 * The sandbox's time.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Clock = Schema.Struct({ now: Timestamp.Timestamp }).annotations({
  identifier: "Clock"
})

/**
 * How far to advance the sandbox's clock: 0 to 36,525 days, in seconds.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Advance = Schema.Struct({
  seconds: numberBetween(0, days * 86_400)
}).annotations({ identifier: "Advance" })

/**
 * The status to settle with: `COMPLETED` by default, and any but `PENDING`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Settlement = Schema.Struct({
  status: Schema.optional(
    Schema.String.pipe(
      Schema.pattern(/^(?!PENDING$)[A-Z][A-Z0-9_]{0,63}$/, {
        description: `a status in capital letters, of at most 64 characters, other than "PENDING"`
      })
    )
  )
}).annotations({ identifier: "Settlement" })

const Settling = Schema.NonEmptyString.annotations({
  description: "the id or the reference of a payment intent, a payout or a refund"
})

/**
 * The reference of a resource that a control has settled, and its new status.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Settled = Schema.Struct({
  reference: Schema.String,
  status: Schema.String
}).annotations({ identifier: "Settled" })

/**
 * A refund of a collection or a deposit. The sum of its refunds cannot exceed the transaction.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RefundRequest = Schema.Struct({
  /** The reference of a collection or a deposit. */
  transaction: Transaction.TransactionReference,
  /** Defaults to the rest of the transaction. */
  amount: Schema.optional(Amount.Input),
  reason: Schema.optional(Text.atMost(1000))
}).annotations({ identifier: "RefundRequest" })

/**
 * A payer at the hosted page of a payment link. The sandbox does not keep the phone number.
 *
 * @since 0.1.0
 * @category schemas
 */
export const LinkPayment = Schema.Struct({
  phone_number: Schema.optional(
    Schema.String.pipe(
      Schema.length({ min: 1, max: 32 }, { description: "a string of 1 to 32 characters" })
    )
  )
}).annotations({ identifier: "LinkPayment" })

/** A group of calls of which each has its own name. */
const group = <const Name extends string>(name: Name, description: string) =>
  HttpApiGroup.make(name, { topLevel: true }).annotate(OpenApi.Description, description)

const declare =
  <const Method extends HttpMethod>(method: Method) =>
  <const Name extends string>(name: Name, path: HttpApiEndpoint.PathSegment, summary: string) =>
    HttpApiEndpoint.make(method)(name, path).annotate(OpenApi.Summary, summary)

const get = declare("GET")
const post = declare("POST")
const put = declare("PUT")
const del = declare("DELETE")

const general = group("State", "The whole sandbox, its clock, and how idempotency keys behave")
  .add(get("health", "/health", "Ready to answer requests").addSuccess(Health))
  .add(post("reset", "/reset", "Restore the initial state").setPayload(Reset))
  .add(get("snapshot", "/snapshot", "Read the whole state").addSuccess(Snapshot))
  .add(
    put("restore", "/snapshot", "Replace the whole state by that of a snapshot")
      .setPayload(Snapshot)
      .addError(ControlError)
  )
  .add(get("idempotency", "/idempotency", "Read how keys behave").addSuccess(Idempotency))
  .add(
    put("setIdempotency", "/idempotency", "Replace how keys behave, from the next request")
      .setPayload(IdempotencyChange)
      .addSuccess(Idempotency)
  )
  .add(get("clock", "/clock", "Read the sandbox's time").addSuccess(Clock))
  .add(
    post("advance", "/clock/advance", "Advance the sandbox's time, and run what becomes due")
      .setPayload(Advance)
      .addSuccess(Clock)
      .addError(ControlError)
  )

const access = group("Access", "Credentials and tokens")
  .add(get("credentials", "/credentials", "Read the current credentials").addSuccess(Credentials))
  .add(
    post(
      "rotateSecret",
      "/credentials/rotate",
      "Replace the secret, and revoke its tokens"
    ).addSuccess(Credentials)
  )
  .add(post("revokeTokens", "/tokens/revoke", "Revoke all tokens"))

/**
 * The path of the live requests, as server-sent events `requests`, each with `LiveRequests`.
 *
 * @since 0.1.0
 * @category constants
 */
export const requestStream = `${root}/requests/stream` as const

/**
 * Requests that arrived or ended.
 *
 * @since 0.1.0
 * @category schemas
 */
export const LiveRequests = Schema.Struct({
  /** Whether they replace all earlier ones: at first, after a reset, and after a lost connection. */
  reset: Schema.Boolean,
  /** At most the newest 1,000, oldest first and without bodies. A request comes again when it ends. */
  requests: Schema.Array(Exchange)
})

/**
 * @since 0.1.0
 * @category models
 */
export interface LiveRequests extends Schema.Schema.Type<typeof LiveRequests> {}

const requests = group("Requests", "The requests that the service received, and what they made")
  .add(
    get("requests", "/requests", "List the latest requests to the service, newest first")
      .setUrlParams(
        Schema.Struct({
          limit: limit(100),
          /** Whether bodies are returned, with phone numbers, but without secrets. */
          bodies: Schema.optional(
            Schema.BooleanFromString.annotations({ description: `"true" or "false"` })
          )
        })
      )
      .addSuccess(Schema.Array(Exchange))
  )
  .add(
    get("request", "/requests/:index", "Read a request and its response with their bodies")
      .setPath(Schema.Struct({ index: whole(Schema.NumberFromString, 0, Number.MAX_SAFE_INTEGER) }))
      .addSuccess(Exchange)
      .addError(ControlError)
  )
  .add(
    get("resources", "/resources", "List the latest resources of each kind, newest first")
      .setUrlParams(
        Schema.Struct({
          limit: limit(100),
          /** Only what requests with this idempotency key made. */
          key: Schema.optional(Schema.String)
        })
      )
      .addSuccess(Resources)
  )

const money = group("Money", "The ledger, wallets, settlements, refunds and paid links")
  .add(
    get("statement", "/ledger", "Read the balances and the latest entries of the ledger")
      .setUrlParams(Schema.Struct({ limit: limit(1000) }))
      .addSuccess(Ledger)
  )
  .add(
    get("wallets", "/wallets", "List the wallets with their balances").addSuccess(
      Schema.Array(WalletBalances)
    )
  )
  .add(
    post("settle", "/resources/:resource/settle", "Settle what is PENDING now")
      .setPath(Schema.Struct({ resource: Settling }))
      .setPayload(Settlement)
      .addSuccess(Settled)
      .addError(ControlError)
  )
  .add(
    post("refund", "/refunds", "Refund a collection or a deposit")
      .setPayload(RefundRequest)
      .addSuccess(Refund.Refund, { status: 201 })
      .addError(ControlError)
  )
  .add(
    post("payLink", "/payment-links/:id/pay", "Pay a payment link, as a payer at its hosted page")
      .setPath(Schema.Struct({ id: PaymentLink.PaymentLinkId }))
      .setPayload(LinkPayment)
      .addSuccess(Transaction.TransactionDetail)
      .addError(ControlError)
  )

const faults = HttpApiGroup.make("faults")
  .annotate(OpenApi.Description, "Faults and scenarios of the next requests")
  .add(
    get(
      "pending",
      "/faults",
      "List the pending faults, in the order in which they apply"
    ).addSuccess(Schema.Array(Scenario.PendingFault))
  )
  .add(
    post("add", "/faults", "Add a fault")
      .setPayload(Scenario.FaultRule)
      .addSuccess(Scenario.PendingFault, { status: 201 })
      .addError(ControlError)
  )
  .add(
    del("remove", "/faults/:id", "Remove a pending fault")
      .setPath(Schema.Struct({ id: Schema.String }))
      .addError(ControlError)
  )
  .add(del("clear", "/faults", "Remove all pending faults"))
  .add(
    get("scenarios", "/scenarios", "List the scenarios that requests can ask for").addSuccess(
      Scenarios
    )
  )

type Named = typeof general | typeof access | typeof requests | typeof money

/**
 * All calls.
 *
 * @since 0.1.0
 * @category apis
 */
export const api: HttpApi.HttpApi<
  "Control",
  Named | typeof faults,
  ControlError | HttpApiDecodeError
> = HttpApi.make("Control")
  .add(general)
  .add(access)
  .add(requests)
  .add(money)
  .add(faults)
  .addError(ControlError, { status: 403 })
  .addError(ControlError, { status: 404 })
  .addError(ControlError, { status: 422 })
  .prefix(root)

/** The members of a part of the input. */
type Members<A> = [A] extends [never] ? unknown : A

type Call<I, A, E> = unknown extends I
  ? Effect.Effect<A, E>
  : Partial<I> extends I
    ? (input?: I) => Effect.Effect<A, E>
    : (input: I) => Effect.Effect<A, E>

type CallOf<Endpoint extends HttpApiEndpoint.HttpApiEndpoint.Any, E> = Call<
  Members<HttpApiEndpoint.HttpApiEndpoint.PathParsed<Endpoint>> &
    Members<HttpApiEndpoint.HttpApiEndpoint.UrlParams<Endpoint>> &
    Members<HttpApiEndpoint.HttpApiEndpoint.Payload<Endpoint>>,
  HttpApiEndpoint.HttpApiEndpoint.Success<Endpoint>,
  HttpApiEndpoint.HttpApiEndpoint.Error<Endpoint> | E
>

type CallsOf<Group extends HttpApiGroup.HttpApiGroup.Any, E> = {
  readonly [Endpoint in HttpApiGroup.HttpApiGroup.Endpoints<Group> as Endpoint["name"]]: CallOf<
    Endpoint,
    E
  >
}

/**
 * The calls as methods, which can fail with `E` besides their own errors. A call takes the members of its
 * path, its query and its body as one object, such as `settle({ resource, status: "FAILED" })`, and a call
 * without them is an effect, such as `wallets`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Calls<E = never> extends CallsOf<Named, E> {
  /** The queue of scripted faults. */
  readonly faults: CallsOf<typeof faults, E>
}
