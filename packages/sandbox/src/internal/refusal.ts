/**
 * Refusals of the service, as reported in its error envelope.
 */
import * as Errors from "@manilla/core/Errors"
import * as Data from "effect/Data"

export class Refusal extends Data.TaggedClass("Refusal")<{
  readonly status: number
  /** The interface documents no values of `error.code`, so the sandbox defines its own. */
  readonly code: string
  readonly message: string
  /** The fields and rules that the request violates. */
  readonly issues?: ReadonlyArray<Errors.Issue>
  readonly details?: Readonly<Record<string, string>>
}> {}

const refuse =
  (status: number) =>
  (code: string, message: string, more: Pick<Refusal, "issues" | "details"> = {}): Refusal =>
    new Refusal({ status, code, message, ...more })

export const unauthorized = refuse(Errors.UnauthorizedError.status)
export const forbidden = refuse(Errors.ForbiddenError.status)
export const notFound = refuse(Errors.NotFoundError.status)
export const unprocessable = refuse(Errors.UnprocessableError.status)

/** The request violates rules of the interface. The issues name field and rule, never the value. */
export const invalid = (issues: ReadonlyArray<Errors.Issue>): Refusal =>
  unprocessable("VALIDATION_FAILED", "The request is invalid.", { issues })

/** A field of the request violates a business rule. */
export const business = (code: string, message: string, field: string, rule: string): Refusal =>
  unprocessable(code, message, { issues: [{ field, rule }] })
