/**
 * What an answer means: a readable success, or a fault with the error that tells it.
 */
import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Amount from "../Amount.js"
import * as Errors from "../Errors.js"
import * as Identifier from "../Identifier.js"
import * as Issues from "../Issues.js"
import type * as Operation from "../Operation.js"
import * as RetryPolicy from "../RetryPolicy.js"
import type * as redact from "./redact.js"
import type { Encoded } from "./request.js"
import type { Broken, Received } from "./transport.js"

export type Answer = Readable | Faulty

export interface Readable {
  readonly _tag: "Readable"
  readonly envelope: unknown
}

export interface Faulty {
  readonly _tag: "Faulty"
  readonly fault: RetryPolicy.Fault
  readonly error: Errors.ReadError
  /** Of a success whose data does not fit: what the caller can still find the resource by. */
  readonly found: { readonly id: string | undefined; readonly reference: string | undefined }
}

export interface Context {
  readonly operation: string
  readonly access: Operation.Access
  readonly grantedScopes: ReadonlyArray<string>
  /** Made only when there is something to redact. */
  readonly redactor: () => redact.Redactor
  readonly nowMillis: number
  /** The id or reference that was asked for. */
  readonly subject: string | undefined
  /** The members that `data` may have. */
  readonly members: ReadonlySet<PropertyKey>
  /** The member of `data` that is the resource; `data` itself when there is none. */
  readonly madeIn: string | undefined
  /** What the resource must repeat of the request. */
  readonly echoes: Encoded["echoes"]
  /** Then "applied" is said only of an answer that shows whose it is. */
  readonly isWrite: boolean
}

type Decode = (
  input: unknown,
  options: { readonly errors: "all" | "first" }
) => Either.Either<unknown, ParseResult.ParseIssue>

export const interpret = (decode: Decode, received: Received, context: Context): Answer => {
  const parsed = parse(received.body)
  const { status } = received
  const succeeded = status >= 200 && status < 300
  const value = parsed._tag === "Json" ? parsed.value : undefined
  const contradicts = status >= 400 && saysSuccess(value) === true
  if (!succeeded && !contradicts) return refused(received, value, context)
  if (parsed._tag === "Broken") return lost(parsed, context)
  if (parsed._tag !== "Json") return malformed(received, context, parsed._tag, parsed)
  const says = saysSuccess(parsed.value)
  if (says === undefined) return malformed(received, context, "NotAnEnvelope", parsed)
  if (says !== succeeded) return malformed(received, context, "Contradiction", parsed)
  const isAsked = isAbout(context, member(parsed.value, "data"))
  if (isAsked === false) {
    return malformed(received, context, "AnotherSubject", parsed)
  }
  const compared = compare(context.echoes, resource(parsed.value, context))
  const others = compared.filter(({ same }) => same === false)
  if (others.length > 0) {
    const issues = others.map(({ field }) => ({ field, rule: "must be what was sent" }))
    return malformed(received, context, "AnotherSubject", parsed, issues)
  }
  const isLong = parsed.text.length > detailedLength
  const decoded = decode(parsed.value, { errors: isLong ? "first" : "all" })
  if (Either.isRight(decoded)) return { _tag: "Readable", envelope: decoded.right }
  const isOwn = !canShow(context) || isAsked || isTied(compared)
  const reason = isOwn ? "DataMisfit" : "Unrelated"
  return malformed(received, context, reason, parsed, Issues.fromParseIssue(decoded.left))
}

/** The characters up to which all that is wrong is told: of a long body it would take gigabytes. */
const detailedLength = 16_384

/** What the answer is about. */
const resource = (envelope: unknown, { madeIn }: Pick<Context, "madeIn">): unknown => {
  const data = member(envelope, "data")
  return madeIn === undefined ? data : member(data, madeIn)
}

interface Compared {
  readonly as: Operation.Echo["as"]
  readonly field: string
  readonly same: boolean | undefined
}

/** Whether each member repeats what was sent; what is left out or unreadable says nothing. */
const compare = (echoes: Context["echoes"], resource: unknown): ReadonlyArray<Compared> =>
  echoes.map(({ as, field, member: name = field, sent }) => {
    const back = member(resource, name)
    const same = typeof back === "string" ? isRepeated[as](sent, back) : undefined
    return { as, field: name, same }
  })

/**
 * Whether the answer shows whose it is. The key alone does; of what others share it takes all: a
 * refund repeats the amount of its payment.
 */
const isTied = (compared: ReadonlyArray<Compared>): boolean =>
  compared.some(({ as, same }) => as === "text" && same === true) ||
  (compared.length > 0 && compared.every(({ same }) => same === true))

const isRepeated: Record<
  Operation.Echo["as"],
  (sent: string, back: string) => boolean | undefined
> = {
  amount: (sent, back) => {
    // To compare megabytes of digits that nobody sent takes seconds.
    if (back.length > sent.length + longestFraction) return false
    return isAmount(sent) && isAmount(back) ? Amount.Equivalence(sent, back) : undefined
  },
  code: (sent, back) => sent.toLowerCase() === back.toLowerCase(),
  phone: (sent, back) => {
    const [own, other] = [lastDigits(sent), isMasked(back) ? undefined : lastDigits(back)]
    return own === undefined || other === undefined ? undefined : own === other
  },
  text: (sent, back) => sent === back
}

const longestFraction = 64

/** The digits that a number ends with, whether its prefixes are written or not. */
const lastDigits = (phone: string): string | undefined =>
  /^[\d\s+().-]*$/.test(phone) ? /\d{8}$/.exec(phone.replace(/\D/g, ""))?.[0] : undefined

/** Whether what separates the digits of a number may stand for some of them. */
const isMasked = (phone: string): boolean => /[\s.-]{2}|[.-]$/.test(phone)

const isAmount = Schema.is(Amount.Amount)

const isUuid = Schema.is(Identifier.Uuid)

/**
 * Whether the data is about what was asked for, if it says. A connection on which a proxy
 * answered twice gives one request's answer to the next.
 */
const isAbout = ({ members, subject }: Context, data: unknown): boolean | undefined => {
  if (subject === undefined) return undefined
  const is = (name: unknown) =>
    typeof name === "string" && name.toLowerCase() === subject.toLowerCase()
  if (is(member(data, "id")) || is(member(data, "reference"))) return true
  // Where the interface shows no such member, what has its name may be anything.
  const name = nameOf(subject)
  return members.has(name) && typeof member(data, name) === "string" ? false : undefined
}

const nameOf = (subject: string): "id" | "reference" => (isUuid(subject) ? "id" : "reference")

/**
 * Whether the answer to this shows that it is: a write repeats what was sent, a token is a token,
 * and most of what is read by its id has it. Of a list, or a cardholder's detail, nothing tells.
 */
const canShow = ({ access, isWrite, members, subject }: Context): boolean =>
  isWrite || access === "credentials" || (subject !== undefined && members.has(nameOf(subject)))

/** The members that a schema of envelopes has in `data`. */
export const membersOf = (envelope: Schema.Schema.All): ReadonlySet<PropertyKey> => {
  const members = AST.getPropertySignatures(AST.encodedAST(envelope.ast))
  const data = members.find(({ name }) => name === "data")
  return new Set(
    data === undefined ? [] : AST.getPropertySignatures(data.type).map(({ name }) => name)
  )
}

/** No whole answer came. */
export const lost = (broken: Broken, context: Pick<Context, "operation">): Faulty =>
  faulty(
    new Errors.TransportFault({
      operation: context.operation,
      message: broken.sent
        ? `${context.operation}: the connection was lost after the request may have left${because(broken.code)}.`
        : `${context.operation}: no connection to the service${because(broken.code)}; nothing was sent.`,
      sent: broken.sent,
      code: broken.code
    })
  )

export const timedOut = (operation: string, afterMillis: number): Errors.TimedOut =>
  new Errors.TimedOut({
    operation,
    message: `${operation}: no whole answer within ${afterMillis} ms.`,
    afterMillis
  })

export const faulty = (
  error: Errors.ReadError,
  found: Faulty["found"] = { id: undefined, reference: undefined }
): Faulty => ({ _tag: "Faulty", fault: RetryPolicy.faultOf(error), error, found })

const because = (code: string | undefined): string => (code === undefined ? "" : ` (${code})`)

// -----------------------------------------------------------------------------------------------
// Bodies
// -----------------------------------------------------------------------------------------------

type Parsed =
  | { readonly _tag: "Json"; readonly value: unknown; readonly text: string }
  | { readonly _tag: "Empty" | "NotText" | "TooLarge"; readonly text: undefined }
  | { readonly _tag: "NotJson"; readonly text: string }
  | (Broken & { readonly text?: undefined })

const parse = (body: Received["body"]): Parsed => {
  if (body === "TooLarge") return { _tag: body, text: undefined }
  if (!(body instanceof Uint8Array)) return body
  if (body.byteLength === 0) return { _tag: "Empty", text: undefined }
  let text: string
  try {
    // Takes a byte order mark away.
    text = new TextDecoder("utf-8", { fatal: true }).decode(body)
  } catch {
    return { _tag: "NotText", text: undefined }
  }
  if (text.trim() === "") return { _tag: "Empty", text: undefined }
  try {
    const value: unknown = JSON.parse(text)
    return { _tag: "Json", value, text }
  } catch {
    return { _tag: "NotJson", text }
  }
}

const saysSuccess = (value: unknown): boolean | undefined =>
  Predicate.isRecord(value) && typeof value["success"] === "boolean" ? value["success"] : undefined

const member = (value: unknown, name: string): unknown =>
  Predicate.isRecord(value) ? value[name] : undefined

/** A short string of an answer, with what must not be shown struck out. */
const shown = (value: unknown, context: Context): string | undefined =>
  typeof value === "string" && value !== "" ? context.redactor().text(value) : undefined

/** By its id it is found, or asked about; a code of four digits may well be in it by chance. */
const shownId = (value: unknown, context: Context): string | undefined =>
  isUuid(value) ? value : shown(value, context)

const correlationId = (value: unknown, context: Context): string | undefined =>
  shownId(member(member(value, "meta"), "correlation_id"), context)

// -----------------------------------------------------------------------------------------------
// Errors by status
// -----------------------------------------------------------------------------------------------

const refused = (received: Received, value: unknown, context: Context): Faulty => {
  const { status } = received
  // Member by member: an envelope that is not whole still says what it says.
  const error = member(member(value, "data"), "error")
  const code = shown(member(error, "code"), context)
  const says = shown(member(error, "message"), context)
  const details = member(error, "details")
  const fields = {
    operation: context.operation,
    message:
      `${context.operation} was answered ${status}` +
      (code === undefined ? "" : ` ${code}`) +
      (says === undefined ? "" : `: ${says}`),
    status,
    code,
    details: details === undefined ? undefined : context.redactor().json(details),
    correlation_id: correlationId(value, context)
  }
  const retryAfterMillis = parseRetryAfter(received.retryAfter, context.nowMillis)
  return faulty(byStatus(fields, retryAfterMillis, context))
}

type Fields = ConstructorParameters<typeof Errors.BadRequest>[0]

const byStatus = (
  fields: Fields,
  retryAfterMillis: number | undefined,
  context: Context
): Errors.RequestError => {
  switch (fields.status) {
    case Errors.BadRequest.status:
      return new Errors.BadRequest(fields)
    case Errors.Unauthorized.status:
      return new Errors.Unauthorized(fields)
    case Errors.Forbidden.status:
      return forbidden(fields, context)
    case Errors.NotFound.status:
      return new Errors.NotFound(fields)
    case Errors.Conflict.status:
      return new Errors.Conflict(fields)
    case Errors.Unprocessable.status:
      return new Errors.Unprocessable(fields)
    case Errors.TooManyRequests.status:
      return new Errors.TooManyRequests({ ...fields, retryAfterMillis })
    default:
      return fields.status >= 500 && fields.status < 600
        ? new Errors.ServerFault({ ...fields, retryAfterMillis })
        : new Errors.UnexpectedStatus({
            ...fields,
            message: fields.message + redirectHint(fields.status),
            retryAfterMillis
          })
  }
}

const redirectHint = (status: number): string =>
  status >= 300 && status < 400 ? " (redirects are not followed: check the base URL)" : ""

const forbidden = (fields: Fields, { access, grantedScopes }: Context): Errors.Forbidden => {
  const requiredScope = access === "bearer" || access === "credentials" ? undefined : access
  const hint =
    requiredScope === undefined || grantedScopes.includes(requiredScope)
      ? ""
      : `; it needs the scope ${requiredScope}, and the token has: ${grantedScopes.join(" ")}`
  return new Errors.Forbidden({
    ...fields,
    message: fields.message + hint,
    requiredScope,
    grantedScopes
  })
}

/** Engines read a date into almost any words: only HTTP's own form is one. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Seconds or an HTTP date, as milliseconds from now. */
const parseRetryAfter = (header: string | undefined, nowMillis: number): number | undefined => {
  if (header === undefined) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const millis = httpDate.test(header) ? Date.parse(header) - nowMillis : NaN
  return Number.isNaN(millis) ? undefined : Math.max(0, millis)
}

// -----------------------------------------------------------------------------------------------
// Answers that cannot be read
// -----------------------------------------------------------------------------------------------

const says: Record<Errors.MalformedReason, string> = {
  Empty: "without a body",
  TooLarge: "with a body longer than the gateway reads",
  NotText: "with a body that is not UTF-8 text",
  NotJson: "with a body that is not JSON",
  NotAnEnvelope: "with JSON that is not an envelope",
  AnotherSubject:
    "about another operation than was asked for (answers were mixed up, or the key was used before)",
  Contradiction: "with an envelope that contradicts its status",
  DataMisfit: "with success around data that does not fit",
  Unrelated: "with success around data that does not fit and does not show whose it is"
}

/** What the envelope of an error says: ` (CODE: words)`. */
const wordsOf = (value: unknown, context: Context): string => {
  const error = member(member(value, "data"), "error")
  const words = [member(error, "code"), member(error, "message")].flatMap(
    (word) => shown(word, context) ?? []
  )
  return words.length === 0 ? "" : ` (${words.join(": ")})`
}

const malformed = (
  received: Received,
  context: Context,
  reason: Errors.MalformedReason,
  parsed: Exclude<Parsed, Broken>,
  issues: ReadonlyArray<Errors.Issue> = []
): Faulty => {
  const value = parsed._tag === "Json" ? parsed.value : undefined
  const error = new Errors.MalformedResponse({
    operation: context.operation,
    message: [
      `${context.operation} was answered ${received.status} ${says[reason]}`,
      reason === "Contradiction" ? wordsOf(value, context) : "",
      issues.length === 0 ? "" : `: ${Issues.print(issues)}`
    ].join(""),
    status: received.status,
    correlation_id: correlationId(value, context),
    issues,
    reason,
    excerpt: parsed._tag === "NotJson" ? context.redactor().excerpt(parsed.text) : undefined
  })
  const made = resource(value, context)
  return faulty(error, {
    id: shownId(member(made, "id"), context),
    reference: shown(member(made, "reference"), context)
  })
}
