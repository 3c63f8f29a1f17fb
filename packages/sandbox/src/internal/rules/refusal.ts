/**
 * Rules of the service, and their refusals as reported in its error envelope.
 */
import * as Errors from "@manilla/core/Errors"
import type * as Operation from "@manilla/core/Operation"
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import type * as ServiceApi from "../../ServiceApi.js"

export class Refusal extends Data.TaggedClass("Refusal")<{
  readonly status: number
  /** The interface documents no values of `error.code`, so the sandbox defines its own. */
  readonly code: string
  readonly message: string
  /** The fields and rules that the request violates. */
  readonly issues?: ReadonlyArray<Errors.Issue>
  readonly details?: Readonly<Record<string, string>>
}> {}

/** An error that operations have. */
export interface Declared {
  readonly status: number
  readonly message: string
  /** Whether an operation has it. */
  readonly isOf: (operation: Operation.Operation, name: string) => boolean
}

const named =
  (...names: ReadonlyArray<ServiceApi.OperationName>): Declared["isOf"] =>
  (_, name) =>
    names.some((one) => one === name)

const isKeyed: Declared["isOf"] = ({ replay }) => replay._tag === "Keyed"

const { status: unauthorized } = Errors.UnauthorizedError
const { status: forbidden } = Errors.ForbiddenError
const { status: unprocessable } = Errors.UnprocessableError

/** The errors of the operations, in the order in which they are checked. */
const declarations = {
  INVALID_CREDENTIALS: {
    status: unauthorized,
    message: "The client id or the secret is wrong.",
    isOf: ({ access }) => access === "credentials"
  },
  UNAUTHENTICATED: {
    status: unauthorized,
    message: "The token is missing, unknown or expired.",
    isOf: ({ access }) => access !== "credentials"
  },
  ACCOUNT_STATE: {
    status: forbidden,
    message: "The account, its KYB, the application or the credential is not in order.",
    isOf: () => true
  },
  INSUFFICIENT_SCOPE: {
    status: forbidden,
    message: "The scope is not granted.",
    isOf: ({ access }) => access !== "credentials" && access !== "bearer"
  },
  VALIDATION_FAILED: {
    status: unprocessable,
    message: "The request is invalid.",
    isOf: ({ headers, pathParams, payload, urlParams }) =>
      [headers, pathParams, payload, urlParams].some((one) => one !== undefined)
  },
  NOT_FOUND: {
    status: Errors.NotFoundError.status,
    message: "No resource has this id or reference.",
    isOf: ({ method, pathParams }) => method === "GET" && pathParams !== undefined
  },
  IDEMPOTENCY_KEY_IN_FLIGHT: {
    status: Errors.ConflictError.status,
    message: "A request with this idempotency key is in progress.",
    isOf: isKeyed
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: unprocessable,
    message: "The idempotency key was used with a different request.",
    isOf: isKeyed
  },
  CARDHOLDER_NOT_FOUND: {
    status: unprocessable,
    message: "The cardholder does not exist.",
    isOf: named("Cards.issue")
  },
  WALLET_NOT_FOUND: {
    status: unprocessable,
    message: "The wallet does not exist.",
    isOf: named("Payouts.create", "Cards.issue")
  },
  CURRENCY_MISMATCH: {
    status: unprocessable,
    message: "The wallet has a different currency.",
    isOf: named("Payouts.create", "Cards.issue")
  },
  CURRENCY_NOT_SUPPORTED: {
    status: unprocessable,
    message: "Cards cannot be paid in this currency.",
    isOf: named("Cards.issue")
  },
  SERVICE_UNAVAILABLE: {
    status: unprocessable,
    message: "The service is currently unavailable.",
    isOf: named("Payments.create", "Payouts.create")
  },
  INSUFFICIENT_FUNDS: {
    status: unprocessable,
    message: "The wallet has insufficient funds.",
    isOf: named("Payouts.create", "Cards.issue")
  },
  EXPIRES_IN_THE_PAST: {
    status: unprocessable,
    message: "The payment link would already be expired.",
    isOf: named("PaymentLinks.create")
  }
} satisfies Readonly<Record<string, Declared>>

export type Code = keyof typeof declarations

/** The errors of the operations by their codes. */
export const declared: ReadonlyMap<string, Declared> = new Map(Object.entries(declarations))

/** An error of an operation. The message and the status can be more specific than declared. */
export const of = (code: Code, specific: Partial<Omit<Refusal, "_tag" | "code">> = {}): Refusal => {
  const { message, status } = declarations[code]
  return new Refusal({ status, code, message, ...specific })
}

export const notFound = (message: string): Refusal => of("NOT_FOUND", { message })

/** The resource of this kind that a request names. */
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
): Refusal =>
  new Refusal({ status: unprocessable, code, message, ...(issues.length > 0 && { issues }) })
