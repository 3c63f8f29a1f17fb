/**
 * Rules of the service, and their refusals as reported in its error envelope.
 */
import type * as Errors from "@manilla/core/Errors"
import * as Data from "effect/Data"
import * as Either from "effect/Either"

export class Refusal extends Data.TaggedClass("Refusal")<{
  readonly status: number
  /** The interface documents no values of `error.code`, so the sandbox defines its own. */
  readonly code: string
  readonly message: string
  /** The fields and rules that the request violates. */
  readonly issues?: ReadonlyArray<Errors.Issue>
  readonly details?: Readonly<Record<string, string>>
}> {}

const error = (status: number, message: string) => ({ status, message })

/** The errors of the operations, in the order in which they are checked. */
const declared = {
  INVALID_CREDENTIALS: error(401, "The client id or the secret is wrong."),
  UNAUTHENTICATED: error(401, "The token is missing, unknown or expired."),
  ACCOUNT_STATE: error(
    403,
    "The account, its KYB, the application or the credential is not in order."
  ),
  INSUFFICIENT_SCOPE: error(403, "The scope is not granted."),
  VALIDATION_FAILED: error(422, "The request is invalid."),
  NOT_FOUND: error(404, "No resource has this id or reference."),
  IDEMPOTENCY_KEY_IN_FLIGHT: error(409, "A request with this idempotency key is in progress."),
  IDEMPOTENCY_KEY_REUSED: error(422, "The idempotency key was used with a different request."),
  CARDHOLDER_NOT_FOUND: error(422, "The cardholder does not exist."),
  WALLET_NOT_FOUND: error(422, "The wallet does not exist."),
  CURRENCY_MISMATCH: error(422, "The wallet has a different currency."),
  CURRENCY_NOT_SUPPORTED: error(422, "Cards cannot be paid in this currency."),
  SERVICE_UNAVAILABLE: error(422, "The service is currently unavailable."),
  INSUFFICIENT_FUNDS: error(422, "The wallet has insufficient funds."),
  EXPIRES_IN_THE_PAST: error(422, "The payment link would already be expired.")
}

export type Code = keyof typeof declared

/** An error of an operation. The message and the status can be more specific than declared. */
export const of = (code: Code, specific: Partial<Omit<Refusal, "_tag" | "code">> = {}): Refusal => {
  const { message, status } = declared[code]
  return new Refusal({ status, code, message, ...specific })
}

export const notFound = (message: string): Refusal => of("NOT_FOUND", { message })

/** The resource of this kind that a request or a control names. */
export const found = <Row>(kind: string, row: Row | undefined): Either.Either<Row, Refusal> =>
  row === undefined ? Either.left(notFound(`The ${kind} does not exist.`)) : Either.right(row)

/** The request violates rules of the interface. The issues name field and rule, never the value. */
export const invalid = (issues: ReadonlyArray<Errors.Issue>): Refusal =>
  of("VALIDATION_FAILED", { issues })

/** A field of the request violates a business rule of its operation. */
export const business = (code: Code, field: string, rule: string): Refusal =>
  of(code, { issues: [{ field, rule }] })

/** A refusal that is no error of an operation: of a control, or of an outcome on demand. */
export const other = (
  code: string,
  message: string,
  issues: ReadonlyArray<Errors.Issue> = []
): Refusal => new Refusal({ status: 422, code, message, ...(issues.length > 0 && { issues }) })
