/**
 * The initial state of the command, from a file in YAML or JSON: its wallets and its catalogue of services.
 */
import * as AvailableService from "@manilla/catalogue/AvailableService"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as Issues from "@manilla/core/Issues"
import * as Wallet from "@manilla/core/Wallet"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as money from "../money/amounts.js"
import * as file from "./file.js"

const Initial = Schema.Struct({
  wallets: Schema.optional(
    Schema.Array(
      Schema.Struct({
        id: Schema.optional(Wallet.WalletId),
        currency: Currency.Currency,
        balance: Amount.Input
      })
    )
  ),
  services: Schema.optional(Schema.Array(AvailableService.AvailableService))
})

const decode = Schema.decodeUnknownEither(Initial)
const issuesOf = Issues.validator(Initial, [], { onExcessProperty: "error" })

export const read = file.use("--initial", (text) =>
  Effect.gen(function* () {
    const { issues, value } = yield* Effect.tryPromise({
      try: () => parse(text),
      catch: file.reasonOf
    })
    const initial = decode(value)
    if (issues.length > 0 || Either.isLeft(initial)) return yield* Effect.fail(issues.join("; "))
    const { services, wallets } = initial.right
    return {
      services,
      wallets: wallets?.map(({ balance, ...wallet }) => ({
        ...wallet,
        balance: money.fixed(balance)
      }))
    }
  })
)

/** Reads YAML, of which JSON is a part. The issues have the lines of the file. */
const parse = async (
  text: string
): Promise<{ readonly issues: ReadonlyArray<string>; readonly value: unknown }> => {
  // Most starts have no such file.
  const { LineCounter, isNode, parseDocument } = await import("yaml")
  const lineCounter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    // Amounts are text, with or without quotes: a number could lose digits.
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === "string" || !/:(int|float)$/.test(tag.tag))
  })
  const lineOf = (offset: number) => `line ${lineCounter.linePos(offset).line}: `
  const mistakes = [...document.errors, ...document.warnings]
  if (mistakes.length > 0) {
    return {
      value: undefined,
      issues: mistakes.map(({ message, pos }) => lineOf(pos[0]) + message)
    }
  }
  const value: unknown = document.toJS()
  /** The offset of a field or, if it is missing, of what should have it. */
  const offsetOf = (path: ReadonlyArray<string>): number => {
    const node: unknown = document.getIn(path, true)
    if (isNode(node) && node.range) return node.range[0]
    return path.length === 0 ? 0 : offsetOf(path.slice(0, -1))
  }
  const issues = issuesOf(value).map(
    (issue) => lineOf(offsetOf(issue.field.split("."))) + Issues.print([issue])
  )
  return { value, issues }
}
