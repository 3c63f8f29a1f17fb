/**
 * Paginates lists, newest first (interface section 2.1).
 */
import type { Page } from "@manilla/core/Page"
import * as Either from "effect/Either"
import * as Sandbox from "../../Sandbox.js"
import * as refusal from "./refusal.js"
import type { Rule } from "./refusal.js"

/** The requested page number. No operation declares this parameter, as the interface has none. */
export const requested = (
  search: Readonly<Record<string, unknown>>
): Either.Either<number, refusal.Refusal> => {
  const given = search[Sandbox.pageParameter] ?? "1"
  return typeof given === "string" && /^[1-9][0-9]{0,8}$/.test(given)
    ? Either.right(Number(given))
    : Either.left(
        refusal.invalid([
          {
            field: `urlParams.${Sandbox.pageParameter}`,
            rule: "must be a whole number that is at least 1"
          }
        ])
      )
}

/** Selects a page from rows in order of creation. */
export const rule =
  <Row>(
    page: number,
    per_page: number | undefined,
    rows: () => ReadonlyArray<Row>
  ): Rule<Page<Row>> =>
  () => {
    const all = rows()
    const size = per_page ?? Sandbox.defaultPerPage
    const end = Math.max(0, all.length - (page - 1) * size)
    return Either.right({
      current_page: page,
      data: all.slice(Math.max(0, end - size), end).reverse(),
      per_page: size,
      total: all.length
    })
  }
