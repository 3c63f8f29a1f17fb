/**
 * Paginates lists, newest first (interface section 2.1).
 */
import * as Either from "effect/Either"
import * as Sandbox from "../../Sandbox.js"
import * as refusal from "./refusal.js"

/** The requested page number. No operation declares this parameter, as the interface has none. */
export const requested = (
  search: Readonly<Record<string, unknown>>
): Either.Either<number, refusal.Refusal> => {
  const given = search[Sandbox.pageParameter] ?? "1"
  const field = `urlParams.${Sandbox.pageParameter}`
  return typeof given === "string" && /^[1-9][0-9]{0,8}$/.test(given)
    ? Either.right(Number(given))
    : Either.left(refusal.invalid([{ field, rule: "must be a whole number that is at least 1" }]))
}

/** Selects a page from rows in order of creation. */
export const select = <Row>(
  all: ReadonlyArray<Row>,
  page: number,
  per_page = Sandbox.defaultPerPage
) => {
  const end = Math.max(0, all.length - (page - 1) * per_page)
  return {
    current_page: page,
    data: all.slice(Math.max(0, end - per_page), end).reverse(),
    per_page,
    total: all.length
  }
}
