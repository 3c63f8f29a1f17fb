/**
 * Paginates lists, newest first (interface section 2.1).
 */
import * as Either from "effect/Either"
import * as Sandbox from "../../Sandbox.js"
import * as refusal from "./refusal.js"

/** Selects the requested page from rows in order of creation. No operation declares the number of a page. */
export const select = <Row>(
  all: ReadonlyArray<Row>,
  search: Readonly<Record<string, unknown>>,
  per_page = Sandbox.defaultPerPage
) => {
  const given = search[Sandbox.pageParameter] ?? "1"
  if (typeof given !== "string" || !/^[1-9][0-9]{0,8}$/.test(given)) {
    const field = `urlParams.${Sandbox.pageParameter}`
    return refusal.because("VALIDATION_FAILED", field, "must be a whole number that is at least 1")
  }
  const current_page = Number(given)
  const end = Math.max(0, all.length - (current_page - 1) * per_page)
  return Either.right({
    current_page,
    data: all.slice(Math.max(0, end - per_page), end).reverse(),
    per_page,
    total: all.length
  })
}
