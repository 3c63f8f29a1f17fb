/**
 * Finds the errors at the root of an error of an HTTP client.
 */
import * as Predicate from "effect/Predicate"
import * as unconnected from "./unconnected.js"

/** An error at the root of another one. */
export interface Root {
  readonly code: string | undefined
  /** The system call that failed. */
  readonly syscall: string | undefined
  readonly text: string
  /** Whether its connection was never established, as Node observed it. */
  readonly isUnconnected: boolean
}

interface Shape {
  readonly cause?: unknown
  readonly code?: unknown
  readonly errors?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly syscall?: unknown
}

/** The errors at the root: there may be one for each address that was tried. */
export const rootsOf = (error: unknown, depth = 0): ReadonlyArray<Root> => {
  if (depth > 5 || !Predicate.isObject(error)) return []
  const { cause, code, errors, message, reason, syscall }: Shape = error
  const isUnconnected = unconnected.has(error)
  const inner = (Array.isArray(errors) && errors.length > 0 ? errors : [cause]).flatMap((one) =>
    rootsOf(one, depth + 1)
  )
  // An error without a code tells less than one with a code around it.
  if (inner.some((root) => root.code !== undefined) || (inner.length > 0 && !isText(code))) {
    return isUnconnected ? inner.map((root) => ({ ...root, isUnconnected })) : inner
  }
  return [
    {
      code: isText(code) ? code : undefined,
      syscall: isText(syscall) ? syscall : undefined,
      // OpenSSL has its own words in `reason`.
      text: isText(reason) ? reason : isText(message) ? message : "",
      isUnconnected
    }
  ]
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""
