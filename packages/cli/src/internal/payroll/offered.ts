/** Whether the catalogue has the payouts of the rows. */
import type * as AvailableService from "@manilla/catalogue/AvailableService"
import * as Catalogue from "@manilla/catalogue/Catalogue"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { nearest } from "../nearest.js"
import * as output from "../output.js"
import type { Row } from "./file.js"
import type { Words } from "./words.js"

type Entry = AvailableService.AvailableService

/** The columns in the order in which a person corrects them: each country has currencies and methods of its own. */
const parts = [
  ["country", ({ country }: Entry) => country.code],
  ["currency", ({ currency }: Entry) => currency.code],
  ["payment_method", ({ payment_method }: Entry) => payment_method]
] as const

/** A sentence for each column of a row that the catalogue does not have. */
const problemsOf = (
  payouts: ReadonlyArray<Entry>,
  { cells, line }: Row,
  words: Words
): ReadonlyArray<string> => {
  const problems: Array<string> = []
  let left = payouts
  let country: string | undefined
  for (const [column, valueOf] of parts) {
    const same = left.filter((entry) => valueOf(entry) === cells[column])
    if (same.length > 0) {
      left = same
      if (column === "country") country = cells.country
      continue
    }
    const options = Arr.dedupe(left.map(valueOf))
    const meant = nearest(cells[column], options)
    const remedy = meant === undefined ? words.itHas(options.join(", ")) : words.writeInstead(meant)
    const how = words.notOffered(country) + remedy
    const cell = words.cell(words.columns[column], output.text(cells[column]), how)
    problems.push(words.line(line) + cell)
  }
  return problems
}

const closed = (
  payouts: ReadonlyArray<Entry>,
  rows: ReadonlyArray<Row>,
  words: Words
): ReadonlyArray<string> =>
  payouts.flatMap((entry) => {
    const waiting = rows.filter(({ cells }) =>
      parts.every(([column, valueOf]) => valueOf(entry) === cells[column])
    )
    if (entry.available || waiting.length === 0) return []
    const method = output.text(entry.payment_method)
    return [words.closed(method, entry.country.code, waiting.length)]
  })

export const nothing: Readonly<Record<"problems" | "warnings", ReadonlyArray<string>>> = {
  problems: [],
  warnings: []
}

const unchecked = (why: string): typeof nothing => ({ problems: [], warnings: [why] })

/** The problems of rows, and warnings. A catalogue that cannot be read is a warning. */
export const check = (rows: ReadonlyArray<Row>, words: Words) =>
  Effect.flatMap(Catalogue.make, ({ list }) => list()).pipe(
    Effect.match({
      onFailure: (error) => unchecked(words.catalogueUnread(words.dialogue.failure(error))),
      onSuccess: ({ services }) => {
        const payouts = services.filter(({ operation }) => operation === "PAYOUT")
        // The interface does not say how a catalogue names payouts.
        return payouts.length === 0
          ? unchecked(words.catalogueEmpty)
          : {
              problems: rows.flatMap((row) => problemsOf(payouts, row, words)),
              warnings: closed(payouts, rows, words)
            }
      }
    })
  )
