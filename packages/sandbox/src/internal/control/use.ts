/**
 * Shared code of the control API's handlers.
 */
import * as Effect from "effect/Effect"
import * as ControlApi from "../../ControlApi.js"
import type * as Sandbox from "../../Sandbox.js"
import * as access from "./access.js"

/** Uses the controls of the current sandbox. */
export const sandbox = <A, E>(
  use: (sandbox: Sandbox.Service) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.flatMap(access.Current, (controls) => Effect.flatMap(controls.sandbox, use))

/** The request violates a rule. */
export const invalid = (
  code: string,
  message: string,
  issues: ControlApi.ControlError["issues"]
): ControlApi.ControlError => new ControlApi.ControlError({ status: 422, code, message, issues })

export const notFound = (field: string, rule: string): ControlApi.ControlError =>
  new ControlApi.ControlError({
    status: 404,
    code: "NOT_FOUND",
    message: "No such resource exists.",
    issues: [{ field, rule }]
  })

/** A rule of the service forbids the control. */
export const refused = ({ code, issues, message }: Sandbox.Refused): ControlApi.ControlError =>
  invalid(code, message, issues)
