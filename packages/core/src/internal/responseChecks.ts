/**
 * Whether an answer belongs to the request. A proxy that mixes up its connections gives one caller's
 * answer to another, and a key that was used before is answered with another payment.
 */
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Amount from "../Amount.js"
import * as Identifier from "../Identifier.js"
import type * as Operation from "../Operation.js"
import * as guard from "./guard.js"
import type { Encoded } from "./request.js"

export interface ResponseChecks {
  /** The part of the data that is the resource. */
  readonly resource: (data: unknown) => unknown
  /** Whether the data is about the id or reference that was asked for; `undefined`: it does not say. */
  readonly isAbout: (request: Encoded, data: unknown) => boolean | undefined
  /** The members that are not as they were sent. */
  readonly differs: (request: Encoded, data: unknown) => ReadonlyArray<string>
  /**
   * Whether data that breaks its schema still shows that it is this request's: by its subject, its key,
   * or everything that is compared. Where the answer has nothing to show it by, it counts as this
   * request's.
   */
  readonly isOwn: (request: Encoded, data: unknown) => boolean
}

export const compile = (operation: Operation.Operation): ResponseChecks => {
  const { access, checks, replay, success } = operation
  const members = new Set(AST.getPropertySignatures(success.ast).map(({ name }) => name))
  const compared = checks?.members ?? []

  const resource = (data: unknown): unknown =>
    checks?.in === undefined ? data : member(data, checks.in)

  const isAbout = ({ subject }: Encoded, data: unknown): boolean | undefined => {
    if (subject === undefined) return undefined
    const is = (name: unknown) =>
      name === subject || (typeof name === "string" && name.toLowerCase() === subject.toLowerCase())
    if (is(member(data, "id")) || is(member(data, "reference"))) return true
    // Where the interface shows no such member, one that has its name may be anything.
    const name = nameOf(subject)
    return members.has(name) && typeof member(data, name) === "string" ? false : undefined
  }

  /** A member that is left out or unreadable says nothing. */
  const isSame = (check: Operation.ResponseCheck, request: Encoded, of: unknown) => {
    const sent = request.payload[check.field]
    const back = member(of, check.member ?? check.field)
    return typeof sent === "string" && typeof back === "string"
      ? comparisons[check.as](sent, back)
      : undefined
  }

  const differs = (request: Encoded, data: unknown): ReadonlyArray<string> => {
    if (compared.length === 0) return nothing
    const of = resource(data)
    const different = compared.filter((check) => isSame(check, request, of) === false)
    return different.length === 0 ? nothing : different.map(({ field, member = field }) => member)
  }

  const isOwn = (request: Encoded, data: unknown): boolean => {
    const canShow =
      replay._tag !== "Safe" ||
      access === "credentials" ||
      (request.subject !== undefined && members.has(nameOf(request.subject)))
    if (!canShow || isAbout(request, data) === true) return true
    const of = resource(data)
    const same = (check: Operation.ResponseCheck) => isSame(check, request, of) === true
    return (
      compared.some((check) => check.as === "text" && same(check)) ||
      (compared.length > 0 && compared.every(same))
    )
  }

  return { resource, isAbout, differs, isOwn }
}

const nothing: ReadonlyArray<string> = []

export const member = (value: unknown, name: string): unknown =>
  guard.isRecord(value) ? value[name] : undefined

const isUuid = guard.compile(Identifier.Uuid)

const nameOf = (subject: string): "id" | "reference" => (isUuid(subject) ? "id" : "reference")

const isAmount = Schema.is(Amount.Amount)

const comparisons: Record<
  Operation.ResponseCheck["as"],
  (sent: string, back: string) => boolean | undefined
> = {
  amount: (sent, back) =>
    isAmount(sent) && isAmount(back) ? Amount.Equivalence(sent, back) : undefined,
  code: (sent, back) => sent === back || sent.toLowerCase() === back.toLowerCase(),
  phone: (sent, back) => {
    const [own, other] = [lastDigits(sent), isMasked(back) ? undefined : lastDigits(back)]
    return own === undefined || other === undefined ? undefined : own === other
  },
  text: (sent, back) => sent === back
}

/** The digits that a number ends with, whether its prefixes are written or not. */
const lastDigits = (phone: string): string | undefined =>
  /^[\d\s+().-]*$/.test(phone) ? /\d{8}$/.exec(phone.replace(/\D/g, ""))?.[0] : undefined

/** Whether marks between the digits may stand for some of them. */
const isMasked = (phone: string): boolean => /[\s.-]{2}|[.-]$/.test(phone)
