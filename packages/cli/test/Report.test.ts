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

describe("a row", () => {
  it("that was refused may have been paid from another state file", () => {
    const line = adviceOn("failed", Option.some(refused))
    assert.strictEqual(line?.result, "not paid")
    assert.include(line?.advice, "Unless this period was sent from another state file before")
  })

  it("in doubt is never called not paid", () => {
    const line = adviceOn("inDoubt", Option.some(refused))
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
    assert.deepStrictEqual(
      results.advices(lines).map(({ result }) => result),
      ["in doubt", "check"]
    )
  })

  it("without an end is sent as soon as a request may be on its way", () => {
    assert.strictEqual(adviceOn("unknown", Option.none())?.result, "in doubt")
    const sending = adviceOn("sending", Option.none())
    assert.deepInclude(sending, {
      result: "in doubt",
      reason: "It may have been sent, and no process continues it now."
    })
    for (const state of ["created", "pending"] as const) {
      assert.strictEqual(adviceOn(state, Option.none())?.result, "sent")
    }
    assert.strictEqual(adviceOn("waiting", Option.none())?.result, "not sent")
  })
})
