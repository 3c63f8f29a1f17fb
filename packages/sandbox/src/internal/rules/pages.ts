/**
 * Paginates lists, newest first (interface section 2.1).
 */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type { Page } from "@manilla/core/Page"
import * as Effect from "effect/Effect"
import * as Sandbox from "../../Sandbox.js"
import * as refusal from "./refusal.js"

export interface Selection {
  readonly page: number
  readonly per_page?: number | undefined
}

/** The requested page number. No operation declares this parameter, as the interface has none. */
export const requested: Effect.Effect<
  number,
  refusal.Refusal,
  HttpServerRequest.ParsedSearchParams
> = Effect.flatMap(HttpServerRequest.ParsedSearchParams, (params) => {
  const given = params[Sandbox.pageParameter] ?? "1"
  return typeof given === "string" && /^[1-9][0-9]{0,8}$/.test(given)
    ? Effect.succeed(Number(given))
    : Effect.fail(
        refusal.invalid([
          {
            field: `urlParams.${Sandbox.pageParameter}`,
            rule: "must be a whole number that is at least 1"
          }
        ])
      )
})

/** Selects a page from rows in order of creation. */
export const select = <Row>(
  rows: ReadonlyArray<Row>,
  { page, per_page = Sandbox.defaultPerPage }: Selection
): Required<Page<Row>> => {
  const end = Math.max(0, rows.length - (page - 1) * per_page)
  return {
    current_page: page,
    data: rows.slice(Math.max(0, end - per_page), end).reverse(),
    per_page,
    total: rows.length
  }
}
