/**
 * The files that options of the command name.
 */
import * as AvailableService from "@manilla/catalogue/AvailableService"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as Issues from "@manilla/core/Issues"
import * as Wallet from "@manilla/core/Wallet"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { readFile, stat } from "node:fs/promises"
import { Profile } from "../../Profile.js"
import * as money from "../money/amounts.js"
import { UsageError } from "./cli.js"

const reasonOf = (cause: unknown): string =>
  Predicate.isError(cause) ? cause.message : String(cause)

/** Reads the file of an option with a decoder, which fails with the reason. */
export const use =
  <A>(flag: string, decode: (text: string) => Effect.Effect<A, string>) =>
  (path: string): Effect.Effect<A, UsageError> =>
    Effect.tryPromise({
      try: async () => {
        // To open a FIFO would wait for a writer, and no signal would end that.
        if (!(await stat(path)).isFile()) throw new Error("it is not a regular file")
        return readFile(path, "utf8")
      },
      catch: reasonOf
    }).pipe(
      Effect.flatMap(decode),
      Effect.mapError(
        (reason) => new UsageError({ message: `${flag} cannot use ${path}: ${reason}` })
      )
    )

interface Options {
  /** Whether numbers are read as text: an amount without quotes could lose digits. */
  readonly numbersAsText: boolean
}

/** Decodes YAML, of which JSON is a part, or fails with its issues in one line. Each has its line of the file. */
export const yaml = <A, I>(schema: Schema.Schema<A, I>, options: Options) => {
  const decode = Schema.decodeUnknownEither(schema)
  const issuesOf = Issues.validator(schema, [], { onExcessProperty: "error" })
  return (text: string): Effect.Effect<A, string> =>
    Effect.gen(function* () {
      const { lineOf, mistakes, value } = yield* Effect.tryPromise({
        try: () => parse(text, options),
        catch: reasonOf
      })
      if (mistakes.length > 0) return yield* Effect.fail(mistakes.join("; "))
      const decoded = decode(value)
      const issues = issuesOf(value).map(
        (issue) => lineOf(issue.field.split(".")) + Issues.print([issue])
      )
      if (issues.length > 0 || Either.isLeft(decoded)) return yield* Effect.fail(issues.join("; "))
      return decoded.right
    })
}

const parse = async (text: string, { numbersAsText }: Options) => {
  // Most starts have no such file. In the bundled command, a module in CommonJS has only its default.
  const { LineCounter, isNode, parseDocument } = (await import("yaml")).default
  const lineCounter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    customTags: (tags) =>
      numbersAsText
        ? tags.filter((tag) => typeof tag === "string" || !/:(int|float)$/.test(tag.tag))
        : tags
  })
  const line = (offset: number) => `line ${lineCounter.linePos(offset).line}: `
  const mistakes = [...document.errors, ...document.warnings]
  const value: unknown = mistakes.length > 0 ? undefined : document.toJS()
  /** The offset of a field or, if it is missing, of what should have it. */
  const offsetOf = (path: ReadonlyArray<string>): number => {
    const node: unknown = document.getIn(path, true)
    if (isNode(node) && node.range) return node.range[0]
    return path.length === 0 ? 0 : offsetOf(path.slice(0, -1))
  }
  return {
    mistakes: mistakes.map(({ message, pos }) => line(pos[0]) + message),
    value,
    lineOf: (path: ReadonlyArray<string>) => line(offsetOf(path))
  }
}

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

const decodeInitial = yaml(Initial, { numbersAsText: true })

/** The initial state: its wallets and its catalogue of services. */
export const readInitial = use("--initial", (text) =>
  Effect.map(decodeInitial(text), ({ services, wallets }) => ({
    services,
    wallets: wallets?.map(({ balance, ...wallet }) => ({
      ...wallet,
      balance: money.fixed(balance)
    }))
  }))
)

const decodeProfile = ParseResult.decode(Schema.parseJson(Profile), { errors: "all" })

/** The file that `manilla probe` writes. */
export const readProfile = use("--profile", (text) =>
  Effect.mapError(decodeProfile(text), (issue) => Issues.print(Issues.fromParseIssue(issue)))
)
