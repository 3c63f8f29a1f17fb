/**
 * Paginates lists, newest first (interface section 2.1).
 */
import * as Either from "effect/Either"
import type { Page } from "../../Profile.js"
import * as Sandbox from "../../Sandbox.js"
import * as refusal from "./refusal.js"

type Search = Readonly<Record<string, unknown>>

/** Gives the parameters of a profile the names that the sandbox has for them. */
export const named =
  ({ default_per_page, parameter = Sandbox.pageParameter }: Page = {}) =>
  (search: Search): Search => ({
    ...(default_per_page === undefined ? {} : { per_page: String(default_per_page) }),
    ...search,
    [Sandbox.pageParameter]: search[parameter]
  })

/** Selects the requested page from rows in order of creation. No operation declares the number of a page. */
export const select = <Row>(
  all: ReadonlyArray<Row>,
  search: Search,
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
