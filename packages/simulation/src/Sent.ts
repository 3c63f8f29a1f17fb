/**
 * The network's record of a request, and predicates over it.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Amount from "@manilla/core/Amount"
import type * as Operation from "@manilla/core/Operation"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** A request as it was seen on the wire. */
export interface Sent {
  readonly number: number
  /** The client process that sent it. */
  readonly process: number
  readonly call: string
  /** The span id, shared by all attempts of one operation. */
  readonly span: string
  readonly method: string
  /** The path after the version segment. */
  readonly path: string
  readonly key: string | undefined
  readonly body: string
  readonly authorization: string | undefined
  readonly atMillis: number
  /** Positions of the start and the end in the order of all starts and ends of the run. */
  readonly opened: number
  closed: number
  closedMillis: number
  /** The statuses with which the service answered the request and its copies. */
  answered: Array<number>
  /** When the service first answered. */
  answeredMillis: number
  /** How the attempt ended for the client. */
  received: number | "refused" | "broken" | "aborted" | undefined
  /** Whether the body that the client received says success, under any status. */
  bodySaysSuccess: boolean
  /** `Retry-After` in the response that the client received. */
  retryAfterMillis: number | undefined
  /** Whether `Retry-After` was a date, which loses its meaning once the clock is set. */
  retryAfterIsDate: boolean
  /** The `data` of the success envelope that the client received, if any. */
  data: unknown
  /** Whether the client received the response to another request. */
  mismatched: boolean
}

export const noteOf = (
  { body, headers, method, url }: HttpClientRequest.HttpClientRequest,
  at: Pick<Sent, "atMillis" | "call" | "number" | "opened" | "process">
): Sent => {
  const text = body._tag === "Uint8Array" ? Buffer.from(body.body).toString() : ""
  return {
    ...at,
    span: headers["traceparent"]?.split("-")[2] ?? "",
    method,
    path: new URL(url).pathname.replace(/^\/api\/v1/, ""),
    key: headers["idempotency-key"] ?? /"idempotency_key":"([^"]*)"/.exec(text)?.[1],
    body: text,
    authorization: headers["authorization"],
    closed: Infinity,
    closedMillis: Infinity,
    answered: [],
    answeredMillis: Infinity,
    received: undefined,
    bodySaysSuccess: false,
    retryAfterMillis: undefined,
    retryAfterIsDate: false,
    data: undefined,
    mismatched: false
  }
}

export const describe = ({ call, key, method, path, process }: Sent): string =>
  `${call} p${process} ${method} ${path}${key === undefined ? "" : ` key=${key}`}`

export const isWrite = ({ method, path }: Pick<Sent, "method" | "path">): boolean =>
  method === "POST" && !isForToken({ path })

export const isForToken = ({ path }: Pick<Sent, "path">): boolean => path.startsWith("/auth/")

/**
 * Whether the response to another request can be recognised as such. A response that repeats what the operation declares
 * to be compared cannot.
 */
export const isDistinguishable = (
  { body, method, path }: Sent,
  other: Pick<Sent, "method" | "path">,
  response: string
): boolean => {
  if (isForToken({ path }) && isForToken(other)) return false
  if (method === "GET" && other.method === "GET" && path === other.path) return false
  const checks = checksOf.get(`${method} ${path}`)
  if (checks === undefined) return true
  const asked = readJson(body)
  const data = memberOf(readJson(response), "data")
  const about = checks.in === undefined ? data : memberOf(data, checks.in)
  return checks.members.some(({ as, field, member = field }) => {
    const sent = memberOf(asked, field)
    const back = memberOf(about, member)
    if (!Predicate.isString(sent)) return false
    // A response may leave out a phone number and the operation kind.
    if (!Predicate.isString(back)) return as !== "phone" && as !== "kind"
    return as === "amount" ? !isSameAmount(sent, back) : sent !== back
  })
}

const checksOf: ReadonlyMap<string, Operation.ResponseChecks> = new Map(
  Array.from(ServiceApi.operations.values()).flatMap(({ checks, method, path }) =>
    checks === undefined ? [] : [[`${method} ${path}`, checks]]
  )
)

const isAmount = Schema.is(Amount.Amount)

const isSameAmount = (sent: string, back: string): boolean =>
  isAmount(sent) && isAmount(back) && Amount.Equivalence(sent, back)

const memberOf = (json: unknown, name: string): unknown =>
  Predicate.hasProperty(json, name) ? json[name] : undefined

const decodeJson = Schema.decodeUnknownOption(Schema.parseJson())

const readJson = (text: string): unknown => Option.getOrUndefined(decodeJson(text))

/** A card is nested in the data of its response. */
const resourceOf = (data: unknown): unknown =>
  Predicate.hasProperty(data, "card") ? data.card : data

/** A copy of a write without a key is another order: see `NetworkFaults`. */
export const mayBeCopied = (note: Sent): boolean => !isWrite(note) || note.key !== undefined

/** The id and the reference of the resource in a response. */
export const namesIn = (data: unknown): ReadonlyArray<string> => {
  const about = resourceOf(data)
  return Predicate.isRecord(about)
    ? [about["id"], about["reference"]].filter(Predicate.isString)
    : []
}

/** Whether the client received a readable success for this very request. */
export const isReadable = ({ data, received, mismatched }: Sent): boolean =>
  typeof received === "number" && received < 300 && !mismatched && data !== undefined

/** Whether the client received a resource whose status is PENDING. */
export const showsPending = (sent: Sent): boolean =>
  isReadable(sent) && Predicate.hasProperty(sent.data, "status") && sent.data.status === "PENDING"

/** Whether the client received proof that this attempt was not applied. */
export const isRefusal = ({ received, bodySaysSuccess }: Sent): boolean =>
  received === "refused" ||
  (!bodySaysSuccess && typeof received === "number" && refusals.has(received))

const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 422, 429])

/** Whether the request reads one resource by its id or reference. */
export const readsOne = ({ method, path }: Pick<Sent, "method" | "path">): boolean =>
  method === "GET" && /^\/[^/]+\/[^/]+$/.test(path)

/** Whether the attempt ended in a way that a retry may overcome. */
export const isTransient = (sent: Sent): boolean => {
  const { data, received, mismatched, bodySaysSuccess } = sent
  if (typeof received !== "number") return true
  // A mismatched list cannot be recognised.
  if (mismatched && (isWrite(sent) || readsOne(sent))) return true
  if (received < 300) return data === undefined
  return (
    received === 408 || received === 429 || received >= 500 || (received >= 400 && bodySaysSuccess)
  )
}

export const grouped = <A>(
  items: ReadonlyArray<A>,
  by: (item: A) => string
): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const group = groups.get(by(item))
    if (group === undefined) groups.set(by(item), [item])
    else group.push(item)
  }
  return groups
}
