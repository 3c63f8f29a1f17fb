/**
 * An attempt that was read: a success, or a failure with its fault and its error.
 */
import type * as Errors from "../../Errors.js"
import type * as RetryPolicy from "../../RetryPolicy.js"
import type * as messages from "../text/messages.js"
import type { Encoded } from "./request.js"
import type { Sanitizer } from "../text/sanitize.js"
import { withoutFrames } from "../text/withoutFrames.js"

/** The result of an attempt, as the rest of the call sees it. */
export type Reading = Success | Failure

export interface Success {
  readonly _tag: "Success"
  readonly data: unknown
  readonly status: number
  readonly envelope: unknown
  readonly context: Context
}

export interface Failure {
  readonly _tag: "Failure"
  readonly fault: RetryPolicy.Fault
  /** The status of the response, if there was one. */
  readonly status: number | undefined
  readonly retryAfterMillis: number | undefined
  /** The id and reference in the response, if they can be read. */
  readonly found: messages.Found
  /** The fields of the resource that differ from the request. */
  readonly differs: ReadonlyArray<string>
  /** Whether the body is an HTML page, which the service does not send. */
  readonly isPage: boolean
  /** Read on demand, for spans and errors. */
  readonly correlationId: () => string | undefined
  /** Creates the error of this attempt. */
  readonly toError: (addition?: messages.Addition) => Errors.ReadError
}

export interface Context {
  readonly request: Encoded
  readonly grantedScopes: ReadonlyArray<string>
  /** Created only for an error or a span. */
  readonly sanitizer: () => Sanitizer
  readonly nowMillis: number
  /** The maximum size of a body after decompression, in bytes. */
  readonly bodyLimit: number
}

/** The resource in the response, if it is not the requested one. */
export const otherIn = ({ differs, found }: Failure): string | undefined =>
  differs.length === 0 ? undefined : (found.id ?? found.reference)

const nothingFound: messages.Found = { id: undefined, reference: undefined }
const noCorrelationId = () => undefined

export const failure = (
  toError: Failure["toError"],
  fault: RetryPolicy.Fault,
  of: Partial<Pick<Failure, "status" | "retryAfterMillis" | "correlationId" | "isPage">> = {}
): Failure => ({
  _tag: "Failure",
  fault,
  status: undefined,
  retryAfterMillis: undefined,
  found: nothingFound,
  differs: [],
  isPage: false,
  correlationId: noCorrelationId,
  ...of,
  toError: (addition) => withoutFrames(() => toError(addition))
})
