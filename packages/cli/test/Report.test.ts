/** The report of a payroll: its words must lead nobody to pay twice. */
import { assert, describe, it } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import { IdempotencyKey } from "@manilla/core/IdempotencyKey"
import type * as Batch from "@manilla/workflows/Batch"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as results from "../src/internal/payroll/results.js"
import { of } from "../src/internal/payroll/words.js"
import type { Row } from "../src/internal/payroll/file.js"

const words = of("en")

const request = { amount: "1000", currency: "XOF" }

const row = { line: 2, cells: { employee: "E1" }, name: "", item: { key: "E1", request } } as Row

const refused = Exit.fail(
  new Errors.UnprocessableError({ operation: "Payouts.create", status: 422, message: "refused" })
)

const adviceOn = (state: Batch.ItemResult["state"], end: Batch.ItemResult["end"]) =>
  results.make(
    [row],
    [{ key: "E1", businessKey: "key", state, end }],
    [],
    words.interrupted,
    words
  )[0]

type RowError = NonNullable<Batch.Doubt["error"]>

/** The lines on the screen about rows that ended with these errors. */
const saidOf = (errors: ReadonlyArray<RowError>, language: "en" | "fr" = "en") => {
  const rows = errors.map((_, i) => ({ ...row, line: 2 + i, item: { ...row.item, key: `E${i}` } }))
  const items = errors.map((error, i): Batch.ItemResult => {
    const state = error._tag === "UnprocessableError" ? "failed" : "inDoubt"
    return { key: `E${i}`, businessKey: `key-${i}`, state, end: Option.some(Exit.fail(error)) }
  })
  const words = of(language)
  const lines = results.make(rows, items, [], "", words)
  return results.unpaidRows(lines, words).map(({ label, text }) => label + text)
}

const many = Array.from({ length: 7 }, (_, i) => i)

const operation = "Payouts.create"

const reused = (i: number) =>
  new Errors.KeyReused({
    operation,
    message: `Payouts.create: the key "key-${i}" was most likely used for another request.`,
    key: IdempotencyKey.make(`key-${i}`),
    differs: ["amount"],
    attempts: 1
  })

const unprocessable = (code: string, serviceMessage: string) =>
  new Errors.UnprocessableError({ operation, status: 422, message: "m", code, serviceMessage })

describe("many rows are one line on the screen", () => {
  const refusal = "not paid. The service responds with"
  it.each<[title: string, error: (i: number) => RowError, said: string]>([
    [
      "whose keys belong to other requests",
      reused,
      "check. The key is that of another request, which may have paid the row."
    ],
    [
      "whose keys the service refuses",
      (i: number) => unprocessable("IDEMPOTENCY_KEY_REUSED", `The key key-${i} is used.`),
      "check. The key is that of another request, which may have paid the row."
    ],
    [
      "that were refused for one reason",
      () => unprocessable("LIMIT_2", "Above 500."),
      `${refusal} LIMIT_2: Above 500.`
    ],
    [
      "that were refused for one reason, with a message for each",
      (i: number) => unprocessable("LIMIT_2", `The amount ${i}.50 is above the limit`),
      `${refusal} LIMIT_2: The amount … is above the limit.`
    ],
    [
      "without a response",
      (i: number) => {
        const cause = new Errors.TimeoutError({ operation, afterMillis: 1, message: "m" })
        const key = IdempotencyKey.make(`key-${i}`)
        return new Errors.OutcomeUnknown({ operation, message: `${i}`, attempts: 1, cause, key })
      },
      "check. At the last look, the service does not respond."
    ]
  ])("%s", (_, error, said) => {
    assert.deepStrictEqual(saidOf(many.map(error)), [`7 rows (lines 2–8), 7,000 XOF: ${said}`])
  })

  it("and others beside them are not among them", () => {
    const refusals = many.map((i) => unprocessable("A", i < 6 ? `Above ${i}.` : "Blocked."))
    assert.deepStrictEqual(saidOf(refusals), [
      `6 rows (lines 2–7), 6,000 XOF: ${refusal} A: Above …`,
      `line 8, E1, 1,000 XOF: ${refusal} A: Blocked.`
    ])
  })
})

it("a key of another request is told in a sentence of each language, and whole in the report", () => {
  assert.deepStrictEqual(saidOf([reused(1)], "fr"), [
    "ligne 2, E1, 1\u{202f}000 XOF\u{a0}: à vérifier. La clé est celle d’une autre requête, qui a peut-être payé la ligne."
  ])
  const item = { key: "E1", businessKey: "key-1", state: "inDoubt" } as const
  const end = Option.some(Exit.fail(reused(1)))
  const [line] = results.make([row], [{ ...item, end }], [], "", words)
  assert.strictEqual(
    line?.reason,
    `${reused(1).message} Its key, key-1, belongs to another request.`
  )
})

describe("a row", () => {
  it("that was refused may have been paid from another state file", () => {
    const line = adviceOn("failed", Option.some(refused))
    assert.strictEqual(line?.result, "not paid")
    assert.include(line?.advice, "Unless this period was sent from another state file before")
  })

  it.each([
    ["a refusal", refused],
    ["a defect", Exit.die("a bug")]
  ] as const)("in doubt is never called not paid after %s", (_, end) => {
    const line = adviceOn("inDoubt", Option.some(end))
    assert.strictEqual(line?.result, "check")
    assert.include(line?.advice, "It may be paid")
  })

  it.each([
    ["IDEMPOTENCY_KEY_REUSED", true],
    // The other request may be the earlier one of this row.
    ["IDEMPOTENCY_KEY_IN_FLIGHT", false],
    ["IDEMPOTENCY_IN_PROGRESS", false],
    ["INSUFFICIENT_FUNDS", false]
  ] as const)("in doubt after %s has a key of another request: %s", (code, isOfOther) => {
    const operation = "Payouts.create"
    const cause = new Errors.UnprocessableError({ operation, status: 422, code, message: "m" })
    const key = IdempotencyKey.make("k")
    const error = new Errors.OutcomeUnknown({ operation, message: "m", attempts: 1, cause, key })
    const doubt: Batch.Doubt = { key: "E1", error, nextMillis: undefined }
    const item = { key: "E1", businessKey: "key", state: "unknown", end: Option.none() } as const
    const [line] = results.make([row], [item], [doubt], "", words)
    assert.deepInclude(line, { result: "in doubt", isOfOther })
  })

  it("has the advice of its own result, also if another result has the same", () => {
    const doubtful = adviceOn("unknown", Option.none())
    const checked = adviceOn("inDoubt", Option.some(refused))
    const lines = [doubtful, checked, doubtful].flatMap((line) => line ?? [])
    const advised = results.advices(lines).map(({ result }) => result)
    assert.deepStrictEqual(advised, ["in doubt", "check"])
  })

  it("that is being sent says that no process continues it", () => {
    const { reason } = adviceOn("sending", Option.none()) ?? assert.fail("no line")
    assert.strictEqual(reason, "It may have been sent, and no process continues it now.")
  })
})
