/** Rows that may pay a person twice: of employees that look the same, or that share a phone number. */
import * as Arr from "effect/Array"
import * as output from "../output.js"
import { listed, type Words } from "./words.js"

interface Row {
  readonly line: number
  readonly cells: { readonly employee: string; readonly phone: string }
}

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

/** Such as `**********67`. */
export const masked = (phone: string) => phone.slice(-2).padStart(phone.length, "*")

const several = (groups: Readonly<Record<string, ReadonlyArray<Row>>>) =>
  Object.values(groups).filter(({ length }) => length > 1)

/** A problem for each row whose employee looks like an earlier one. Such rows would pay one person twice. */
export const problems = (rows: ReadonlyArray<Row>, words: Words): ReadonlyArray<string> =>
  several(Arr.groupBy(rows, ({ cells }) => sight(cells.employee))).flatMap(([first, ...others]) =>
    others.map(({ cells, line }) =>
      words.alike(line, first?.line ?? 0, cells.employee === first?.cells.employee)
    )
  )

const shownMost = 5

/** A warning for each phone number of several rows. */
export const warnings = (rows: ReadonlyArray<Row>, words: Words): ReadonlyArray<string> => {
  const shared = several(Arr.groupBy(rows, ({ cells }) => cells.phone.replace(/^\+/, "")))
  const all = shared.map((same) => {
    const phone = masked(same[0]?.cells.phone ?? "")
    const employees = same.map(({ cells, line }) =>
      words.employeeAt(output.text(cells.employee), line)
    )
    return words.sharedPhone(same.length, phone, listed(employees, words))
  })
  const more = all.length - shownMost
  const others = more > 0 ? [words.morePhones(more)] : []
  return [...all.slice(0, shownMost), ...others]
}
