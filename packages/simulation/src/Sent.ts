/**
 * What the network writes down of a request, and what can be told from it.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Amount from "@manilla/core/Amount"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** A request as it was seen on the wire. */
export interface Sent {
  readonly number: number
  /** The client process that sent it. */
  readonly process: number
  readonly call: string
  /** One for all attempts of one operation. */
  readonly span: string
  readonly method: string
  /** Below the version segment. */
  readonly path: string
  readonly key: string | undefined
  readonly body: string
  readonly authorization: string | undefined
  readonly atMillis: number
  /** Where its opening and its end stand among all of the run. */
  readonly opened: number
  closed: number
  closedMillis: number
  /** What the service answered to it and to its copies. */
  answered: Array<number>
  /** When the service first answered it. */
  answeredMillis: number
  /** How it ended for the client: a status, a broken connection, or not at all. */
  heard: number | "refused" | "broken" | "given up" | undefined
  /** Whether what the client heard says success, under whatever status. */
  saysSuccess: boolean
  /** `Retry-After` of what the client heard. */
  retryAfterMillis: number | undefined
  /** Then it was asked to wait until a moment, which is elsewhere once the clock is set. */
  retryAfterIsDate: boolean
  /** What the client could read of a success: its data, if the answer is an envelope. */
  data: unknown
  /** Whether what the client heard was the answer to another request. */
  mixedUp: boolean
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
    heard: undefined,
    saysSuccess: false,
    retryAfterMillis: undefined,
    retryAfterIsDate: false,
    data: undefined,
    mixedUp: false
  }
}

export const describe = ({ call, key, method, path, process }: Sent): string =>
  `${call} p${process} ${method} ${path}${key === undefined ? "" : ` key=${key}`}`

export const isWrite = ({ method, path }: Pick<Sent, "method" | "path">): boolean =>
  method === "POST" && !isForToken({ path })

export const isForToken = ({ path }: Pick<Sent, "path">): boolean => path.startsWith("/auth/")

/**
 * Whether the answer that was given to another request shows that it is another's. One that repeats
 * the values of this request, in a form that it can have, is as good as its own.
 */
export const isToldApart = (
  { body, method, path }: Sent,
  other: Pick<Sent, "method" | "path">,
  answer: string
): boolean => {
  if (isForToken({ path }) && isForToken(other)) return false
  if (method === "GET" && other.method === "GET" && path === other.path) return false
  const asked = readMembers(body)
  const about = readMembers(answer)
  return asked.idempotency_key === undefined
    ? asked.amount === undefined ||
        about.amount === undefined ||
        about.currency === undefined ||
        (asked.destination !== undefined &&
          about.destination !== undefined &&
          asked.destination !== about.destination) ||
        !Amount.Equivalence(asked.amount, about.amount)
    : asked.idempotency_key !== about.issuance_reference
}

const Members = Schema.Struct({
  amount: Schema.optional(Amount.Amount),
  currency: Schema.optional(Schema.String),
  destination: Schema.optional(Schema.String),
  idempotency_key: Schema.optional(Schema.String),
  issuance_reference: Schema.optional(Schema.String)
})

/** Of a body, or of the resource that an answer is about: a page is about none. */
const readMembers = (text: string): typeof Members.Type =>
  readJson(text).pipe(
    Option.map((json) => resourceOf(Predicate.hasProperty(json, "data") ? json.data : json)),
    Option.flatMap(Schema.decodeUnknownOption(Members)),
    Option.getOrElse(() => ({}))
  )

const readJson = Schema.decodeUnknownOption(Schema.parseJson())

/** Of a card's data, the card. */
const resourceOf = (data: unknown): unknown =>
  Predicate.hasProperty(data, "card") ? data.card : data

/** Without a key, a copy is another order: see `NetworkFaults`. */
export const mayBeCopied = (note: Sent): boolean => !isWrite(note) || note.key !== undefined

/** The id of what an answer is about, and its reference. */
export const namesIn = (data: unknown): ReadonlyArray<string> => {
  const about = resourceOf(data)
  return Predicate.isRecord(about)
    ? [about["id"], about["reference"]].filter(Predicate.isString)
    : []
}

/** Heard to say that it was done, in an answer of its own. */
export const isReadable = ({ data, heard, mixedUp }: Sent): boolean =>
  typeof heard === "number" && heard < 300 && !mixedUp && data !== undefined

/** Heard to be about what has not settled. */
export const showsPending = (sent: Sent): boolean =>
  isReadable(sent) && Predicate.hasProperty(sent.data, "status") && sent.data.status === "PENDING"

/** Heard to say that it did nothing. */
export const isRefusal = ({ heard, saysSuccess }: Sent): boolean =>
  heard === "refused" || (!saysSuccess && typeof heard === "number" && refusals.has(heard))

const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 422, 429])

/** Of one resource, by its id or reference. */
export const isOfOne = ({ method, path }: Pick<Sent, "method" | "path">): boolean =>
  method === "GET" && /^\/[^/]+\/[^/]+$/.test(path)

/** Heard to say nothing that would stay so: what can be sent again may well succeed. */
export const isPassing = (sent: Sent): boolean => {
  const { data, heard, mixedUp, saysSuccess } = sent
  if (typeof heard !== "number") return true
  // Of a list nothing tells.
  if (mixedUp && (isWrite(sent) || isOfOne(sent))) return true
  if (heard < 300) return data === undefined
  return heard === 408 || heard === 429 || heard >= 500 || (heard >= 400 && saysSuccess)
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
