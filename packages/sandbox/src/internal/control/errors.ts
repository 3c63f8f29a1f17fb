/**
 * Errors of control calls.
 */
import { ControlError } from "../../ControlApi.js"
import type { Refusal } from "../rules/refusal.js"

/** The request violates a rule. */
export const invalid = (
  code: string,
  message: string,
  issues: ControlError["issues"]
): ControlError => new ControlError({ status: 422, code, message, issues })

export const notFound = (field: string, rule: string): ControlError =>
  new ControlError({
    status: 404,
    code: "NOT_FOUND",
    message: "No such resource exists.",
    issues: [{ field, rule }]
  })

/** A rule of the service forbids the call. */
export const refused = ({ code, issues = [], message }: Refusal): ControlError =>
  invalid(code, message, issues)
