/** Whether the catalogue has the payouts of the rows. */
import type * as AvailableService from "@manilla/catalogue/AvailableService"
import * as Catalogue from "@manilla/catalogue/Catalogue"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { nearest } from "../nearest.js"
import * as output from "../output.js"
import type { Row } from "./file.js"

type Entry = AvailableService.AvailableService

/** The columns in the order in which a person corrects them: each country has currencies and methods of its own. */
const parts = [
  ["country", ({ country }: Entry) => country.code],
  ["currency", ({ currency }: Entry) => currency.code],
  ["payment_method", ({ payment_method }: Entry) => payment_method]
] as const

/** A sentence for each column of a row that the catalogue does not have. */
const problemsOf = (payouts: ReadonlyArray<Entry>, { cells, line }: Row): ReadonlyArray<string> => {
  const problems: Array<string> = []
  let left = payouts
  let where = ""
  for (const [column, valueOf] of parts) {
    const same = left.filter((entry) => valueOf(entry) === cells[column])
    if (same.length > 0) {
      left = same
      if (column === "country") where = ` in ${cells.country}`
      continue
    }
    const options = Arr.dedupe(left.map(valueOf))
    const meant = nearest(cells[column], options)
    problems.push(
      `line ${line}, ${column} "${output.text(cells[column])}": the catalogue has no such payout${where}. ${meant === undefined ? `It has ${options.join(", ")}` : `Write ${meant}`}`
    )
  }
  return problems
}

const closed = (payouts: ReadonlyArray<Entry>, rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  payouts.flatMap((entry) => {
    const waiting = rows.filter(({ cells }) =>
      parts.every(([column, valueOf]) => valueOf(entry) === cells[column])
    )
    if (entry.available || waiting.length === 0) return []
    return [
      `Payouts by ${output.text(entry.payment_method)} in ${entry.country.code} are unavailable now: ${waiting.length} rows may be refused.`
    ]
  })

export const nothing: Readonly<Record<"problems" | "warnings", ReadonlyArray<string>>> = {
  problems: [],
  warnings: []
}

const unchecked = (why: string): typeof nothing => ({
  problems: [],
  warnings: [`The catalogue ${why}, so countries, currencies and payment methods are not checked.`]
})

/** The problems of rows, and warnings. A catalogue that cannot be read is a warning. */
export const check = (rows: ReadonlyArray<Row>) =>
  Effect.flatMap(Catalogue.make, ({ list }) => list()).pipe(
    Effect.match({
      onFailure: ({ message }) => unchecked(`cannot be read (${message})`),
      onSuccess: ({ services }) => {
        const payouts = services.filter(({ operation }) => operation === "PAYOUT")
        // The interface does not say how a catalogue names payouts.
        return payouts.length === 0
          ? unchecked("lists no payouts")
          : {
              problems: rows.flatMap((row) => problemsOf(payouts, row)),
              warnings: closed(payouts, rows)
            }
      }
    })
  )
