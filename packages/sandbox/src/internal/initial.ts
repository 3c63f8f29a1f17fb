/**
 * The initial state of the command, from a file: its wallets and its catalogue of services.
 */
import * as AvailableService from "@manilla/catalogue/AvailableService"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as Issues from "@manilla/core/Issues"
import * as Wallet from "@manilla/core/Wallet"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { UsageError } from "./cli.js"
import * as money from "./money.js"

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
const issuesOf = Issues.compile(Initial, [], { onExcessProperty: "error" })

export const read = (path: string) =>
  Effect.gen(function* () {
    const refused = (reason: string) =>
      new UsageError({ message: `--initial cannot use ${path}: ${reason}` })
    const json: unknown = yield* Effect.tryPromise({
      try: async () => JSON.parse(await readFile(path, "utf8")),
      catch: (cause) => refused(Predicate.isError(cause) ? cause.message : String(cause))
    })
    const issues = issuesOf(json)
    const initial = decode(json)
    if (issues.length > 0 || Either.isLeft(initial)) return yield* refused(Issues.print(issues))
    const { services, wallets } = initial.right
    return {
      services,
      wallets: wallets?.map(({ balance, ...wallet }) => ({
        ...wallet,
        balance: money.fixed(balance)
      }))
    }
  })
