/** Rows that look the same to a person are the same employee to a payroll. */
import { assert, describe, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as FastCheck from "effect/FastCheck"
import { sight } from "../src/internal/payroll/twins.js"

const changes: ReadonlyArray<readonly [kind: string, (name: string) => string]> = [
  ["an accent in two characters", (name) => name.normalize("NFD")],
  ["two spaces", (name) => name.replaceAll(" ", "  ")],
  ["a no-break space", (name) => name.replaceAll(" ", "\u{a0}")],
  ["a tab", (name) => name.replaceAll(" ", "\t")],
  ["spaces around it", (name) => ` ${name} `],
  ["zero-width spaces", (name) => [...name].join("\u{200b}")],
  ["soft hyphens", (name) => [...name].join("\u{ad}")],
  [
    "a joiner between a letter and its accent",
    (name) => [...name.normalize("NFD")].join("\u{34f}")
  ],
  ["a byte order mark", (name) => `\u{feff}${name}`],
  ["marks of direction", (name) => `\u{202a}${name}\u{202c}`],
  ["variation selectors", (name) => `${name}\u{fe0f}`],
  ["a control character", (name) => `${name}\u{7}`],
  [
    "full-width letters",
    (name) =>
      name.replace(/[!-~]/g, (letter) =>
        String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)
      )
  ],
  ["capitals", (name) => name.toUpperCase()],
  ["small letters", (name) => name.toLowerCase()]
]

const names = [
  "E1",
  "José Ahoué 2",
  "Straße",
  "ÇELİK Işıl",
  "ΟΔΟΣ ς",
  "Ǆ ﬁ 1",
  "Tǰ ΐ",
  "Nguyễn Thị Ánh"
]

describe("an employee looks the same with", () => {
  it.each(changes)("%s", (_, change) => {
    for (const name of names) assert.strictEqual(sight(change(name)), sight(name), name)
  })

  it("any of these changes, one after the other", () => {
    const some = FastCheck.array(FastCheck.constantFrom(...changes.map(([, change]) => change)))
    FastCheck.assert(
      FastCheck.property(FastCheck.constantFrom(...names), some, (name, some) => {
        const changed = some.reduce((text, change) => change(text), name)
        assert.strictEqual(sight(changed), sight(name))
      })
    )
  })
})

it("employees that look different differ", () => {
  const others = ["E1", "E2", "E 1", "E-1", "El", "José", "Jose", "José P", "JoséP", "12", "1 2"]
  assert.lengthOf(Arr.dedupe(others.map(sight)), others.length)
})
