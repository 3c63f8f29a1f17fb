import { assert, it } from "@effect/vitest"
import * as output from "../src/internal/output.js"
import * as words from "../src/internal/payroll/words.js"

it("long advice is laid out at once, in lines that fit", () => {
  const long = "x".repeat(200)
  const words = Array.from({ length: 500 }, (_, i) => `word${i}`)
  const lines = output.wrapped("line 2, E1: ", [long, ...words].join(" ")).split("\n")
  const [first, ...others] = lines
  assert.strictEqual(first, `line 2, E1: ${long}`)
  for (const line of others) {
    assert.match(line, /^ {12}\S/)
    assert.isAtMost(line.length, 100)
  }
  assert.deepStrictEqual(
    others.flatMap((line) => line.trim().split(" ")),
    words
  )
})

it("no cell of CSV is a formula", () => {
  const cells = [
    ["=1+1", "'=1+1"],
    ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
    ["-2+3", "'-2+3"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["＝1", "'＝1"],
    ["＋1", "'＋1"],
    ["－1", "'－1"],
    ["＠1", "'＠1"],
    // Numbers, and what is none.
    ["+2290161234567", "+2290161234567"],
    ["-22.5000", "-22.5000"],
    ["E1=2", "E1=2"],
    ["", ""]
  ] as const
  for (const [cell, written] of cells) assert.strictEqual(output.csvText([[cell]]), `${written}\n`)
  for (const lineBreak of ["\r", "\n"]) {
    assert.include(output.csvText([[`${lineBreak}=1`]]), `'${lineBreak}=1`)
  }
  assert.strictEqual(output.csvText([['="a"']]), `"'=""a"""\n`)
  assert.strictEqual(output.csvText([{ a: "=1", b: true }], { header: true }), "a,b\n'=1,true\n")
})

it("a value of the service cannot move the cursor of a terminal", () => {
  const marks = ["\u{1b}[2J", "\r", "\n", "\t", "\u{7}", "\u{9b}", "\u{202e}", "\u{200b}"]
  for (const mark of marks) {
    assert.match(output.text(`a${mark}b`), /^a\u{fffd}[\w[]*b$/u)
    assert.notMatch(output.text({ a: mark }), /[\p{Cc}\p{Cf}]/u)
  }
})

it("only a yes answers a question with yes", () => {
  const answers = ["", "n", "no", "yn", "yess", "oui", "o", "0", "y", "Y", "yes", "YES"]
  const yesIn = (language: "en" | "fr") =>
    answers.filter((answer) => words.of(language).dialogue.isYes.test(answer))
  assert.deepStrictEqual(yesIn("en"), ["y", "Y", "yes", "YES"])
  assert.deepStrictEqual(yesIn("fr"), ["oui", "o"])
})
