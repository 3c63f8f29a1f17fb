/**
 * All messages for people: those of errors, and the logs of a call. A message has a statement, facts in
 * parentheses, details after a colon, and sentences with the outcome and the next step:
 *
 *     Payments.create failed with status 422 (https://host/api/v1, 1 attempt in 0.2 s): LIMIT: too much.
 *     This request was not applied. Correct the request before you retry.
 */
import type * as Errors from "../../Errors.js"
import type { IdempotencyKey } from "../../IdempotencyKey.js"
import type * as Operation from "../../Operation.js"
import type * as RetryPolicy from "../../RetryPolicy.js"
import type { Reason, State } from "../call/retryLoop.js"
import type { Lost, NotSent } from "../transport/transport.js"

/** An absent or empty part of a message is left out. */
type Part = string | undefined

interface Message {
  readonly statement: string
  readonly facts?: ReadonlyArray<Part>
  readonly details?: ReadonlyArray<Part>
  readonly sentences?: ReadonlyArray<Part>
}

const isShown = (part: Part): boolean => part !== undefined && part !== ""

const compose = ({ details = [], facts = [], sentences = [], statement }: Message): string => {
  const inParentheses = facts.filter(isShown).join(", ")
  const first = [
    inParentheses === "" ? statement : `${statement} (${inParentheses})`,
    ...details.filter(isShown)
  ].join(": ")
  return [withFullStop(first), ...sentences.filter(isShown)].join(" ")
}

const withFullStop = (text: string): string => (text.endsWith(".") ? text : `${text}.`)

export const printIssues = (issues: ReadonlyArray<Errors.Issue>): string =>
  issues.map(({ field, rule }) => `${field} ${rule}`).join("; ")

const correlation = (id: string | undefined): Part =>
  id === undefined ? undefined : `correlation id ${id}`

const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`

// -----------------------------------------------------------------------------------------------
// One attempt
// -----------------------------------------------------------------------------------------------

/** Facts and sentences that a call adds to the message of its last attempt. */
export interface Addition {
  readonly facts?: ReadonlyArray<Part>
  readonly sentences?: ReadonlyArray<Part>
}

/** A request that was not sent, for want of valid input or a token. Facts are those of earlier attempts. */
export const notSent = (operation: string, why: string, addition: Addition = {}): string => {
  const again = (addition.facts ?? []).length > 0 ? " again" : ""
  return compose({ statement: `${operation} was not sent${again}`, details: [why], ...addition })
}

export const noConnection = (
  operation: string,
  { _tag, code, reason, remedy }: NotSent | Lost,
  { facts = [], sentences = [] }: Addition = {}
): string =>
  compose({
    statement:
      _tag === "Lost"
        ? `${operation}: the connection was lost after the request may have been sent`
        : `${operation}: no connection; nothing was sent`,
    facts: [code, ...facts],
    details: [reason],
    sentences: [...sentences, remedy]
  })

export const timedOut = (operation: string, afterMillis: number, addition: Addition = {}): string =>
  compose({
    statement: `${operation}: no complete response within ${afterMillis} ms`,
    ...addition
  })

/** The fields of a response that the message of its error shows. */
interface Shown {
  readonly status: number
  readonly code: string | undefined
  readonly serviceMessage: string | undefined
  readonly correlationId: string | undefined
  readonly isPage: boolean
  /** The scope that the token lacks, and the scopes that it has. */
  readonly lack?: { readonly scope: string; readonly granted: string } | undefined
}

export const errorStatus = (
  operation: string,
  { code, correlationId, isPage, lack, serviceMessage, status }: Shown,
  { facts = [], sentences = [] }: Addition = {}
): string =>
  compose({
    statement: `${operation} failed with status ${status}`,
    facts: [...facts, correlation(correlationId)],
    details: [isPage ? page : undefined, code, serviceMessage],
    sentences: [
      lack && `The operation requires the scope ${lack.scope}, but the token has ${lack.granted}.`,
      status >= 300 && status < 400 ? "Redirects are not followed: check the base URL." : "",
      ...sentences
    ]
  })

/** The service sends JSON. */
const page =
  "the response is an HTML page, probably of a proxy or a firewall and not of the service"

const reasons: Record<Errors.MalformedReason, string> = {
  Empty: "the body is empty",
  TooLarge: "the body exceeds the gateway's limit",
  NotText: "the body is not UTF-8 text",
  NotJson: "the body is not JSON",
  NotAnEnvelope: "the JSON is not an envelope",
  AnotherSubject: "the data describes another resource",
  Contradiction: "the envelope contradicts the status",
  DataMisfit: "the data does not match its schema",
  Unrelated: "the data neither matches its schema nor identifies the request"
}

export const malformed = (
  operation: string,
  { code, correlationId, isPage, serviceMessage, status }: Shown,
  reason: Errors.MalformedReason,
  issues: ReadonlyArray<Errors.Issue>,
  { facts = [], sentences = [] }: Addition = {}
): string =>
  compose({
    statement: `${operation}: invalid response with status ${status}`,
    facts: [...facts, correlation(correlationId)],
    details: [isPage ? page : reasons[reason], code, serviceMessage, printIssues(issues)],
    sentences
  })

// -----------------------------------------------------------------------------------------------
// A call
// -----------------------------------------------------------------------------------------------

/** The base URL, attempts and duration. */
export const tried = (
  baseUrl: string,
  { sent, startedMillis }: State,
  nowMillis: number
): ReadonlyArray<string> =>
  sent === 0
    ? []
    : [
        baseUrl,
        `${sent} attempt${sent === 1 ? "" : "s"} in ${seconds(Math.max(0, nowMillis - startedMillis))}`
      ]

/** For the log of a retry. */
export const retrying = (host: string, afterMillis: number): Addition => ({
  facts: [host],
  sentences: [`Retrying in ${afterMillis} ms.`]
})

const notRetried: Record<Reason, string> = {
  rule: "",
  attempts: "",
  deadline: "Not retried: too little time is left before the deadline.",
  budget: "Not retried: the gateway's retry budget allows no retry before the deadline.",
  "key reused": ""
}

/** The end of a failed call. */
export interface Ending {
  readonly operation: string
  readonly key: IdempotencyKey | undefined
  readonly because: Reason
  readonly facts: ReadonlyArray<string>
}

/** For the error of a read, or of a write that was not applied. */
export const failed = (
  { because, facts }: Ending,
  operation: Operation.Operation,
  failure: Refused
): Addition => ({
  facts,
  sentences: [
    operation.replay._tag === "Safe" ? "" : "This request was not applied.",
    notRetried[because],
    ...adviceOn(failure, operation)
  ]
})

interface Refused {
  readonly fault: RetryPolicy.Fault
  readonly isPage: boolean
  readonly retryAfterMillis: number | undefined
}

/** Advice for the faults that have an obvious next step. */
const adviceOn = (
  { fault, isPage, retryAfterMillis }: Refused,
  { pathParams, replay }: Operation.Operation
): ReadonlyArray<Part> => {
  if (isPage) return ["Check the base URL, and a proxy or a firewall in between."]
  switch (fault) {
    case "UnauthorizedError":
      return ["Check the credentials."]
    case "ForbiddenError":
      return ["Check the scopes of the credentials and the state of the account."]
    case "BadRequestError":
    case "UnprocessableError":
      return [
        "Correct the request before you retry.",
        // The service may refuse a request because its key was used for another one.
        replay._tag === "Keyed"
          ? "If the key was used before, check that earlier request before you choose another key."
          : ""
      ]
    case "NotFoundError":
      // Without a parameter in its path, a 404 is not about a resource.
      return pathParams === undefined
        ? ["Check that the base URL ends with the version segment, such as /api/v1."]
        : []
    case "RateLimitError":
      return [
        retryAfterMillis === undefined
          ? "Wait before you retry."
          : `Wait ${seconds(retryAfterMillis)} before you retry.`
      ]
    default:
      return []
  }
}

const checkFirst =
  "The operation has no idempotency key: check whether it was applied before you retry."

const sameKey = (key: IdempotencyKey): string =>
  `Retry the same request with the same key, "${key}"`

export const outcomeUnknown = (
  { because, facts, key, operation }: Ending,
  cause: Errors.ReadError
): string =>
  compose({
    statement: `${operation}: the request may have been applied`,
    facts,
    sentences: [
      notRetried[because],
      key === undefined ? checkFirst : `${sameKey(key)}.`,
      `Last attempt: ${cause.message}`
    ]
  })

/** The id and the reference in a response, if they can be read. */
export interface Found {
  readonly id: string | undefined
  readonly reference: string | undefined
}

const namesOf = ({ id, reference }: Found): ReadonlyArray<Part> => [
  id && `id ${id}`,
  reference && `reference ${reference}`
]

export const appliedUnreadable = (
  { facts, key, operation }: Ending,
  found: Found,
  { correlationId, issues }: Errors.MalformedResponseError
): string =>
  compose({
    statement: `${operation} was applied, but its response cannot be read`,
    facts: [...namesOf(found), ...facts, correlation(correlationId)],
    details: [printIssues(issues)],
    sentences: ["Do not retry.", key && `Its key is "${key}".`]
  })

export const keyReused = (
  { facts, operation }: Ending,
  key: IdempotencyKey,
  found: Found,
  differs: ReadonlyArray<string>
): string =>
  compose({
    statement: `${operation}: the key "${key}" was most likely used for another request`,
    facts,
    sentences: [
      compose({
        statement: "Two responses described the same resource",
        facts: namesOf(found)
      }),
      `The resource differs from the request in ${differs.join(" and ")}.`,
      "Inspect it before you choose a new key."
    ]
  })

/** The warning about an interrupted write. */
export const interrupted = (
  operation: string,
  origin: string,
  key: IdempotencyKey | undefined
): string =>
  compose({
    statement: `${operation} was interrupted after it was sent, and may have been applied`,
    facts: [origin],
    sentences: [key === undefined ? checkFirst : `${sameKey(key)}, to continue.`]
  })

// -----------------------------------------------------------------------------------------------
// Waits and pages
// -----------------------------------------------------------------------------------------------

export const waitOutOfTime = (
  operation: string,
  id: string,
  waited: string,
  status: string | undefined,
  failure: string | undefined
): string =>
  compose({
    statement: `${operation}: ${id} has no final status after ${waited}`,
    facts: [status === undefined ? "no read succeeded" : `its last status was ${status}`],
    sentences: [
      failure && withFullStop(`The last read failed: ${failure}`),
      "The service may still process it: wait for it again."
    ]
  })

export const waitFailed = (operation: string, id: string, why: string): string =>
  compose({
    statement: `${operation}: ${id} was created, but the wait for it failed`,
    details: [why],
    sentences: ["Wait for it again."]
  })

export const waitInterrupted = (operation: string, id: string): string =>
  `${operation} was interrupted: the service may still process ${id}. Wait for it again.`

export const pageUnread = (operation: string, page: number, cause: Errors.ReadError): string =>
  compose({ statement: `${operation}: page ${page} could not be read`, details: [cause.message] })

export const pageNotSelectable = (operation: string, page: number): string =>
  compose({
    statement: `${operation}: page ${page} cannot be requested`,
    sentences: ["Set pageParameter in the gateway's options to the service's page parameter."]
  })

export const wrongPage = (
  operation: string,
  page: number,
  received: string,
  pageParameter: string | undefined
): string =>
  compose({
    statement: `${operation}: requested page ${page}, but received ${received}`,
    sentences: [
      pageParameter &&
        `"${pageParameter}" is probably not the service's page parameter: correct pageParameter in the gateway's options.`
    ]
  })
