/**
 * Checks that a response belongs to its request. A faulty proxy may mix up responses, and the response
 * to a reused key describes another payment.
 */
import * as Schema from "effect/Schema"
import * as Amount from "../../Amount.js"
import * as Identifier from "../../Identifier.js"
import type * as Operation from "../../Operation.js"
import * as OperationKind from "../../OperationKind.js"
import * as Text from "../../Text.js"
import * as guard from "./guard.js"
import { member } from "./guard.js"
import type { Encoded } from "./request.js"

export const make = (operation: Operation.Operation) => {
  const { access, checks, replay, success } = operation
  const members = new Set(guard.membersOf(success).map(({ name }) => name))
  const compared = checks?.members ?? []

  /** The part of the data that is the resource. */
  const resource = (data: unknown): unknown =>
    checks?.in === undefined ? data : member(data, checks.in)

  /** Whether the data has the requested id or reference; `undefined` if it cannot be compared. */
  const isAbout = ({ subject }: Encoded, data: unknown): boolean | undefined => {
    if (subject === undefined) return undefined
    const is = (name: unknown) =>
      name === subject || (typeof name === "string" && name.toLowerCase() === subject.toLowerCase())
    if (is(member(data, "id")) || is(member(data, "reference"))) return true
    // If the interface does not define the field, its value may have another meaning.
    const name = nameOf(subject)
    return members.has(name) && typeof member(data, name) === "string" ? false : undefined
  }

  /** `undefined` if the field is missing or unreadable. */
  const isSame = (check: Operation.ResponseCheck, request: Encoded, of: unknown) => {
    const sent = request.payload[check.field]
    const back = member(of, check.member ?? check.field)
    return typeof sent === "string" && typeof back === "string"
      ? comparisons[check.as](sent, back)
      : undefined
  }

  /** The fields that differ from the request. */
  const differs = (request: Encoded, data: unknown): ReadonlyArray<string> => {
    const of = resource(data)
    return compared
      .filter((check) => isSame(check, request, of) === false)
      .map(({ field, member = field }) => member)
  }

  /**
   * Whether invalid data still belongs to this request: it has the requested id or reference, the key,
   * or all compared values. `true` if the operation has nothing to compare.
   */
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

const isUuid = guard.compile(Identifier.Uuid)

const nameOf = (subject: string): "id" | "reference" => (isUuid(subject) ? "id" : "reference")

const isAmount = Schema.is(Amount.Amount)
const isKind = Schema.is(OperationKind.Input)

const comparisons: Record<
  Operation.ResponseCheck["as"],
  (sent: string, back: string) => boolean | undefined
> = {
  amount: (sent, back) =>
    isAmount(sent) && isAmount(back) ? Amount.Equivalence(sent, back) : undefined,
  code: Text.isSameCode,
  kind: (sent, back) => !isKind(back) || sent === back,
  phone: (sent, back) => {
    const [expected, actual] = [lastDigits(sent), isMasked(back) ? undefined : lastDigits(back)]
    return expected === undefined || actual === undefined ? undefined : expected === actual
  },
  text: (sent, back) => sent === back
}

/** The last 8 digits, which do not depend on the country prefix. */
const lastDigits = (phone: string): string | undefined =>
  /^[\d\s+().-]*$/.test(phone) ? /\d{8}$/.exec(phone.replace(/\D/g, ""))?.[0] : undefined

/** Whether separators may stand for hidden digits. */
const isMasked = (phone: string): boolean => /[\s.-]{2}|[.-]$/.test(phone)
