/**
 * The initial state of the command, from a file in YAML or JSON: its wallets and its catalogue of services.
 */
import * as AvailableService from "@manilla/catalogue/AvailableService"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as Wallet from "@manilla/core/Wallet"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as money from "../money/amounts.js"
import * as file from "./file.js"
import * as yaml from "./yaml.js"

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

const decode = yaml.decoder(Initial, { numbersAsText: true })

export const read = file.use("--initial", (text) =>
  Effect.map(decode(text), ({ services, wallets }) => ({
    services,
    wallets: wallets?.map(({ balance, ...wallet }) => ({
      ...wallet,
      balance: money.fixed(balance)
    }))
  }))
)
