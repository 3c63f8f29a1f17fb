/**
 * What the client read is what is in the books.
 */
import * as Transaction from "@manilla/transactions/Transaction"
import type { Seen } from "../Audit.js"
import * as Books from "./Books.js"

/** Each row is one of the books. */
export const rowsAreTrue = (
  read: Pick<Seen, "cards" | "transactions">,
  { cards, transactions }: Books.Books
): ReadonlyArray<string> => [
  ...read.cards.flatMap((row) => {
    const card = cards.find(({ id }) => id === row.id)
    if (card === undefined) return [`card ${row.id} was read, and there is none`]
    return Books.unlike({ ...card }, { ...row }).map(
      (what) => `card ${row.id} was read with ${what}`
    )
  }),
  ...read.transactions.flatMap((row) => {
    const transaction = transactions.find(({ reference }) => reference === row.reference)
    if (transaction === undefined) return [`${row.reference} was read, and there is none`]
    return Books.unlike({ ...transaction }, { ...row }).map(
      (what) => `${row.reference} was read with ${what}`
    )
  })
]

/** What the client read, page by page, is what the books say. */
export const readTruly = (seen: Seen, books: Books.Books): ReadonlyArray<string> => {
  const { cards, links, transactions } = books
  const violations = [...rowsAreTrue(seen, books)]
  const compare = (
    what: string,
    made: ReadonlyArray<string>,
    read: ReadonlyArray<string>
  ): void => {
    const missing = made.filter((name) => !read.includes(name))
    if (missing.length > 0 || read.length !== made.length) {
      violations.push(`${made.length} ${what} were made, and ${read.length} were read`)
    }
  }
  const id = (one: { readonly id: string }) => one.id
  const reference = (one: { readonly reference: string }) => one.reference
  compare("cards", cards.map(id), seen.cards.map(id))
  compare("links", links.map(id), seen.links.map(id))
  compare("transactions", transactions.map(reference), seen.transactions.map(reference))

  for (const row of seen.transactions) {
    if (!Transaction.isNetExact(row)) {
      violations.push(`the net amount of ${row.reference} is not exact`)
    }
  }
  for (const row of seen.links) {
    const link = links.find((one) => one.id === row.id)
    for (const what of Books.unlike({ ...link }, { ...row })) {
      violations.push(`link ${row.id} was read with ${what}`)
    }
  }
  for (const { reference, status } of seen.refunds) {
    if (status !== "COMPLETED") violations.push(`refund ${reference} is ${status}`)
  }
  return violations
}
