/** Whether the catalogue has the payouts of the rows. */
import type * as AvailableService from "@manilla/catalogue/AvailableService"
import * as Catalogues from "@manilla/catalogue/Catalogue"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { nearest } from "../nearest.js"
import * as output from "../output.js"
import type { Column, Words } from "./words.js"

type Entry = AvailableService.AvailableService

type Cells = Readonly<Record<Column, string>>

/** The columns in the order in which a person corrects them: each country has currencies and methods of its own. */
const parts = [
  ["country", ({ country }: Entry) => country.code],
  ["currency", ({ currency }: Entry) => currency.code],
  ["payment_method", ({ payment_method }: Entry) => payment_method]
] as const

/** The sentence for each column of a row that the catalogue does not have. */
export const problems = (
  payouts: ReadonlyArray<Entry>,
  cells: Cells,
  words: Words
): ReadonlyMap<Column, string> => {
  const found = new Map<Column, string>()
  let left = payouts
  let country: string | undefined
  for (const [column, valueOf] of parts) {
    // Only a country tells which currencies it has.
    if (column === "currency" && country === undefined) continue
    const same = left.filter((entry) => valueOf(entry) === cells[column])
    if (same.length > 0) {
      left = same
      if (column === "country") country = cells.country
      continue
    }
    const options = Arr.dedupe(left.map(valueOf))
    const meant = nearest(cells[column], options)
    const remedy = meant === undefined ? words.itHas(options.join(", ")) : words.writeInstead(meant)
    if (left.length > 0) found.set(column, words.notOffered(country) + remedy)
  }
  return found
}

/** A warning for each payout that is unavailable now. */
export const closed = (
  { payouts }: Catalogue,
  rows: ReadonlyArray<{ readonly cells: Cells }>,
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

export interface Catalogue {
  /** None if it was not read. */
  readonly payouts: ReadonlyArray<Entry>
  /** Why it was not, in a sentence. */
  readonly unread: ReadonlyArray<string>
}

export const notAsked: Catalogue = { payouts: [], unread: [] }

/** The catalogue that cannot be read. */
export const unread = (cause: string, words: Words): Catalogue => ({
  payouts: [],
  unread: [words.catalogueUnread(cause)]
})

export const read = (words: Words) =>
  Effect.flatMap(Catalogues.make, ({ list }) => list()).pipe(
    Effect.match({
      onFailure: (error) => unread(words.dialogue.failure(error), words),
      onSuccess: ({ services }): Catalogue => {
        const payouts = services.filter(({ operation }) => operation === "PAYOUT")
        // The interface does not say how a catalogue names payouts.
        return { payouts, unread: payouts.length === 0 ? [words.catalogueEmpty] : [] }
      }
    })
  )
