/** Rows of employees that look the same, which would pay a person twice. */
import * as Arr from "effect/Array"
import type * as tables from "./table.js"
import type { Words } from "./words.js"

/** Characters that nobody sees. Tabs and line breaks are seen as spaces. */
const invisible = /(?![\t-\r])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Equal for names of employees that look the same: an accent in one character or two, wide letters, capitals, spaces. */
export const sight = (employee: string): string =>
  employee
    .replace(invisible, "")
    .normalize("NFKC")
    // Not in one step: the small letter of `SS` is not the one of `ß`.
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    .replace(/\s+/g, " ")
    .trim()

/** A problem for each row whose employee looks like an earlier one. */
export const problems = (
  lines: ReadonlyArray<tables.Line>,
  words: Words
): ReadonlyArray<tables.Problem> => {
  const named = lines.filter(({ cells }) => cells.employee !== "")
  return Object.values(Arr.groupBy(named, ({ cells }) => sight(cells.employee))).flatMap(
    ([first, ...others]) =>
      others.map(({ cells, line }) => ({
        line,
        text: words.alike(first.line, cells.employee === first.cells.employee)
      }))
  )
}
