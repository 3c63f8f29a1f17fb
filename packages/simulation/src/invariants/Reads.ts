/**
 * The rows and lists that the client read match the books.
 */
import * as Transaction from "@manilla/transactions/Transaction"
import type { Seen } from "../Audit.js"
import * as Books from "./Books.js"

/** Each row that the client read matches the books. */
export const rowsMatchBooks = (
  read: Pick<Seen, "cards" | "transactions">,
  { cards, transactions }: Books.Books
): ReadonlyArray<string> => [
  ...read.cards.flatMap((row) => {
    const card = cards.find(({ id }) => id === row.id)
    if (card === undefined) return [`card ${row.id} was read but does not exist`]
    return Books.differences({ ...card }, { ...row }).map(
      (difference) => `card ${row.id} was read with ${difference}`
    )
  }),
  ...read.transactions.flatMap((row) => {
    const transaction = transactions.find(({ reference }) => reference === row.reference)
    if (transaction === undefined) return [`${row.reference} was read but does not exist`]
    return Books.differences({ ...transaction }, { ...row }).map(
      (difference) => `${row.reference} was read with ${difference}`
    )
  })
]

/** The lists that the client read page by page match the books. */
export const listsMatchBooks = (seen: Seen, books: Books.Books): ReadonlyArray<string> => {
  const { cards, links, transactions } = books
  const violations = [...rowsMatchBooks(seen, books)]
  const compare = (
    resource: string,
    made: ReadonlyArray<string>,
    read: ReadonlyArray<string>
  ): void => {
    const missing = made.filter((name) => !read.includes(name))
    if (missing.length > 0 || read.length !== made.length) {
      violations.push(`${made.length} ${resource} were made, but ${read.length} were read`)
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
    for (const difference of Books.differences({ ...link }, { ...row })) {
      violations.push(`link ${row.id} was read with ${difference}`)
    }
  }
  for (const { reference, status } of seen.refunds) {
    if (status !== "COMPLETED") violations.push(`refund ${reference} is ${status}`)
  }
  return violations
}
