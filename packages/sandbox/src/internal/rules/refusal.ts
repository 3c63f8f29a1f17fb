/**
 * Rules of the service, and their refusals as reported in its error envelope.
 */
import type * as Errors from "@manilla/core/Errors"
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

const error = (status: number, message: string, isOf: Declared["isOf"]): Declared => ({
  status,
  message,
  isOf
})

const always: Declared["isOf"] = () => true
const hasCredentials: Declared["isOf"] = ({ access }) => access === "credentials"
const hasToken: Declared["isOf"] = ({ access }) => access !== "credentials"
const hasScope: Declared["isOf"] = ({ access }) => access !== "credentials" && access !== "bearer"
const hasKey: Declared["isOf"] = ({ replay }) => replay._tag === "Keyed"
const hasInput: Declared["isOf"] = ({ headers, pathParams, payload, urlParams }) =>
  [headers, pathParams, payload, urlParams].some((one) => one !== undefined)
const readsOne: Declared["isOf"] = ({ method, pathParams }) =>
  method === "GET" && pathParams !== undefined
const is =
  (...operations: ReadonlyArray<ServiceApi.OperationName>): Declared["isOf"] =>
  (_, name) =>
    operations.some((one) => one === name)

const debits = is("Payouts.create", "Cards.issue")
const movesMobileMoney = is("Payments.create", "Payouts.create")
const issuesCards = is("Cards.issue")

/** The errors of the operations, in the order in which they are checked. */
const declarations = {
  INVALID_CREDENTIALS: error(401, "The client id or the secret is wrong.", hasCredentials),
  UNAUTHENTICATED: error(401, "The token is missing, unknown or expired.", hasToken),
  ACCOUNT_STATE: error(
    403,
    "The account, its KYB, the application or the credential is not in order.",
    always
  ),
  INSUFFICIENT_SCOPE: error(403, "The scope is not granted.", hasScope),
  VALIDATION_FAILED: error(422, "The request is invalid.", hasInput),
  NOT_FOUND: error(404, "No resource has this id or reference.", readsOne),
  IDEMPOTENCY_KEY_IN_FLIGHT: error(
    409,
    "A request with this idempotency key is in progress.",
    hasKey
  ),
  IDEMPOTENCY_KEY_REUSED: error(
    422,
    "The idempotency key was used with a different request.",
    hasKey
  ),
  CARDHOLDER_NOT_FOUND: error(422, "The cardholder does not exist.", issuesCards),
  WALLET_NOT_FOUND: error(422, "The wallet does not exist.", debits),
  CURRENCY_MISMATCH: error(422, "The wallet has a different currency.", debits),
  CURRENCY_NOT_SUPPORTED: error(422, "Cards cannot be paid in this currency.", issuesCards),
  SERVICE_UNAVAILABLE: error(422, "The service is currently unavailable.", movesMobileMoney),
  INSUFFICIENT_FUNDS: error(422, "The wallet has insufficient funds.", debits),
  EXPIRES_IN_THE_PAST: error(
    422,
    "The payment link would already be expired.",
    is("PaymentLinks.create")
  )
}

export type Code = keyof typeof declarations

/** The errors of the operations by their codes. */
export const declared: ReadonlyMap<string, Declared> = new Map(Object.entries(declarations))

/** An error of an operation. The message and the status can be more specific than declared. */
export const of = (code: Code, specific: Partial<Omit<Refusal, "_tag" | "code">> = {}): Refusal => {
  const { message, status } = declarations[code]
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
