/** Lists before the question, which name the first of many and count the others, and payouts that are unavailable. */
import { assert, it } from "@effect/vitest"
import * as AvailableService from "@manilla/catalogue/AvailableService"
import * as Schema from "effect/Schema"
import * as files from "../src/internal/payroll/file.js"
import * as offered from "../src/internal/payroll/offered.js"
import * as preview from "../src/internal/payroll/preview.js"
import { of } from "../src/internal/payroll/words.js"

const words = of("en")

/** A row whose amount is written in another way. */
const rowOf = (
  line: number,
  country = "BJ",
  phone = `+2290100${String(line).padStart(6, "0")}`
) => {
  const cells = { employee: `E${line}`, amount: "1000", currency: "XOF", country, phone }
  return {
    line,
    cells: { ...cells, payment_method: "mtn_momo" },
    name: "",
    written: "1 000"
  } as files.Row
}

const rows = Array.from({ length: 7 }, (_, i) => rowOf(2 + i))

it("amounts that are read in another way are named up to five, and the others counted", () => {
  const said = preview.readings(rows, words)
  assert.lengthOf(said, 6)
  assert.strictEqual(said[0], 'line 2: the amount "1 000" is read as 1000.')
  assert.strictEqual(said[5], "2 more amounts are read in the same way.")
  assert.deepStrictEqual(preview.readings([], words), [])
})

it("phone numbers of several rows are named up to five, and the others counted", () => {
  const again = rows.map((row, i) => rowOf(20 + i, "BJ", row.cells.phone))
  const said = preview.sharedPhones([...rows, ...again], words)
  assert.lengthOf(said, 6)
  assert.include(
    said[0],
    "2 rows have the phone number ************02: E2 (line 2), E20 (line 20)."
  )
  assert.strictEqual(said[5], "2 more phone numbers are in several rows.")
})

it("mistakes of a file are named up to twenty, and the others counted", () => {
  const payroll = { file: "f.csv", period: "1", wallet: "w", words }
  const problems = Array.from({ length: 23 }, (_, i) => `line ${i}: wrong`)
  const { code, message } = files.refused(payroll, problems)
  assert.strictEqual(code, 2)
  assert.match(message, /\nline 19: wrong\nand 3 more\nNothing was sent\. Correct f\.csv, and run/)
  assert.notInclude(message, "line 20")
})

it("payouts that are unavailable now are a warning with the number of their rows", () => {
  const entry = (code: string, available: boolean) =>
    Schema.decodeUnknownSync(AvailableService.AvailableService)({
      country: { code, name: code },
      currency: { code: "XOF", name: "XOF" },
      operation: "PAYOUT",
      payment_method: "mtn_momo",
      available
    })
  const payouts = [entry("BJ", false), entry("CI", true), entry("TG", false)]
  const said = offered.closed({ payouts, unread: [] }, [...rows, rowOf(9, "CI")], words)
  assert.deepStrictEqual(said, [
    "Payouts by mtn_momo in BJ are unavailable now: 7 rows may be refused."
  ])
})
