/**
 * The requests that a fault applies to.
 */
import * as Predicate from "effect/Predicate"
import type * as Fault from "../../Fault.js"

/** The parts of a request that select its fault. */
export interface Request {
  readonly operation: string | undefined
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The JSON of the body; `undefined` if it is not JSON. */
  readonly body: () => unknown
}

export const selects = ({ field, header, operation }: Fault.Target, request: Request): boolean => {
  if (operation !== undefined && operation !== request.operation) return false
  if (header !== undefined) {
    const given = request.headers[header.name.toLowerCase()]
    if (given === undefined || (header.value !== undefined && given !== header.value)) return false
  }
  return field === undefined || valueAt(request.body(), field.name) === field.value
}

/** The value at a path such as `payer.phone_number`. */
export const valueAt = (json: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, name) => (Predicate.hasProperty(value, name) ? value[name] : undefined),
      json
    )
