/**
 * Rules of the service and of the controls, and their refusals as reported in an error.
 */
import type * as Errors from "@manilla/core/Errors"
import * as Data from "effect/Data"
import * as Either from "effect/Either"

export class Refusal extends Data.TaggedClass("Refusal")<{
  readonly status: number
  /** The interface documents no values of `error.code`, so the sandbox defines its own. */
  readonly code: string
  readonly message: string
  /** The fields and rules that the request violates, never with a value. */
  readonly issues?: ReadonlyArray<Errors.Issue>
  readonly details?: Readonly<Record<string, string>>
}> {}

const declared = {
  UNREADABLE: [422, "The request cannot be read."],
  INVALID_CREDENTIALS: [401, "The client id or the secret is wrong."],
  UNAUTHENTICATED: [401, "The token is missing, unknown or expired."],
  ACCOUNT_STATE: [403, "The account, its KYB, the application or the credential is not in order."],
  INSUFFICIENT_SCOPE: [403, "The scope is not granted."],
  VALIDATION_FAILED: [422, "The request is invalid."],
  NOT_FOUND: [404, "No resource has this id or reference."],
  IDEMPOTENCY_KEY_IN_FLIGHT: [409, "A request with this idempotency key is in progress."],
  IDEMPOTENCY_KEY_REUSED: [422, "The idempotency key was used with a different request."],
  CARDHOLDER_NOT_FOUND: [422, "The cardholder does not exist."],
  WALLET_NOT_FOUND: [422, "The wallet does not exist."],
  CURRENCY_MISMATCH: [422, "The wallet has a different currency."],
  CURRENCY_NOT_SUPPORTED: [422, "Cards cannot be paid in this currency."],
  NOT_LISTED: [
    422,
    "The request has a value that the catalogue does not list, or an invalid phone number."
  ],
  SERVICE_UNAVAILABLE: [422, "The service is currently unavailable."],
  INSUFFICIENT_FUNDS: [422, "The wallet has insufficient funds."],
  EXPIRES_IN_THE_PAST: [422, "The payment link would already be expired."],

  UNKNOWN_SCENARIO: [422, "The sandbox has no such scenario for this operation."],
  UNLISTED_MAGIC_VALUE: [422, "The value is magic, but it is not listed for this operation."],
  SCRIPTED_FAULT: [500, "A scripted fault of the sandbox."],
  SANDBOX_DEFECT: [500, "Internal error in the sandbox: see its log."],
  LEDGER_UNBALANCED: [500, "The debits of an entry do not equal its credits."],

  CONTROL_OFF: [
    403,
    "The control API is off, because the sandbox listens on more than this machine. The option `control` (--control) turns it on."
  ],
  FOREIGN_HOST: [403, "The host name of the request is not the sandbox's own."],
  FOREIGN_ORIGIN: [403, "The request comes from a page of another site."],
  NOT_PENDING: [422, "The resource is not PENDING."],
  LINK_NOT_ACTIVE: [422, "The payment link cannot be paid."],
  NOT_REFUNDABLE: [422, "Only a collection or a deposit can be refunded."],
  ALREADY_REFUNDED: [422, "The transaction is already fully refunded."],
  REFUND_TOO_LARGE: [422, "The amount exceeds the remaining amount of the transaction."],
  INVALID_AMOUNT: [422, "The amount must be greater than zero and have at most 4 decimals."],
  CLOCK_TOO_FAR: [422, "The clock cannot be advanced by more than 100 years in all."],
  INVALID_FAULT: [422, "The fault is invalid."],
  TOO_MANY_FAULTS: [422, "Too many faults are pending."],
  SNAPSHOT_VERSION: [422, "The snapshot has another version than this sandbox."],
  SNAPSHOT_INVALID: [422, "The snapshot is not a state of a sandbox."]
} as const

export type Code = keyof typeof declared

/** A refusal, which can be more specific than declared. */
export const of = (code: Code, specific: Partial<Omit<Refusal, "_tag" | "code">> = {}): Refusal => {
  const [status, message] = declared[code]
  return new Refusal({ status, code, message, ...specific })
}

/** Refuses a request because of this field. */
export const because = (code: Code, field: string, rule: string): Either.Either<never, Refusal> =>
  Either.left(of(code, { issues: [{ field, rule }] }))

export const notFound = (message: string): Refusal => of("NOT_FOUND", { message })

/** The resource of this kind that a request or a control names. */
export const found = <Row>(kind: string, row: Row | undefined): Either.Either<Row, Refusal> =>
  row === undefined ? Either.left(notFound(`The ${kind} does not exist.`)) : Either.right(row)
