/** `manilla payroll`: a durable batch of payouts from a spreadsheet. Its engine is loaded only when it runs. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { flag } from "../output.js"
import * as service from "../service.js"
import { columns } from "./columns.js"

export const about = "Pay the rows of a spreadsheet, each of them once"

const config = {
  file: Args.withDescription(Args.path({ name: "file" }), `CSV: ${columns.join(", ")}`),
  check: flag("check", "check everything and show the totals, and pay nobody"),
  template: flag("template", "write the file, with the columns only"),
  period: Options.text("period").pipe(
    Options.withDescription(
      "such as 2026-11, by default the date in the name of the file. With the employee, it makes the key of a row"
    ),
    Options.optional
  ),
  besides: Options.text("besides").pipe(
    Options.withDescription(
      "another period with the same employees and amounts, which are to be paid again; --yes does not answer this"
    ),
    Options.repeated,
    // The parser needs none, but its help shows only an option with a default as optional.
    Options.withDefault<ReadonlyArray<string>>([])
  ),
  wallet: Options.text("wallet").pipe(
    Options.withDescription("the id of the wallet to pay from; by default MANILLA_WALLET_ID"),
    Options.withFallbackConfig(Config.string("MANILLA_WALLET_ID")),
    Options.withDefault("")
  ),
  lang: Options.choice("lang", ["en", "fr"]).pipe(
    Options.withDescription("the language; by default that of LC_ALL, LC_MESSAGES or LANG"),
    Options.optional
  ),
  yes: service.yes
}

export type Given = Command.Command.ParseConfig<typeof config>

export const command = Command.make("payroll", config, (given) =>
  Effect.flatMap(
    Effect.promise(() => import("./pay.js")),
    ({ pay }) => pay(given)
  )
).pipe(Command.withDescription(about))
