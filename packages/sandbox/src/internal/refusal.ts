/**
 * Why the service does not do what it was asked, as its error envelope tells it.
 */
import * as Errors from "@manilla/core/Errors"
import * as Data from "effect/Data"

export class Refusal extends Data.TaggedClass("Refusal")<{
  readonly status: number
  /** The interface shows no values of `error.code`: these are the sandbox's own. */
  readonly code: string
  readonly message: string
  readonly details?: unknown
}> {}

const refuse =
  (status: number) =>
  (code: string, message: string, details?: unknown): Refusal =>
    new Refusal({ status, code, message, details })

export const unauthorized = refuse(Errors.UnauthorizedError.status)
export const forbidden = refuse(Errors.ForbiddenError.status)
export const notFound = refuse(Errors.NotFoundError.status)
export const unprocessable = refuse(Errors.UnprocessableError.status)

/** The request breaks rules of the interface: which, and where, but never with what value. */
export const invalid = (issues: ReadonlyArray<Errors.Issue>): Refusal =>
  unprocessable("VALIDATION_FAILED", "The request breaks a rule.", issues)

/** A field of the request that breaks a rule of the business. */
export const business = (code: string, message: string, field: string, rule: string): Refusal =>
  unprocessable(code, message, [{ field, rule }])
