import { assert, describe, it } from "@effect/vitest"
import * as Environment from "@manilla/core/Environment"
import * as OpenEnum from "@manilla/core/OpenEnum"
import * as OperationKind from "@manilla/core/OperationKind"
import * as Schema from "effect/Schema"

const Status = OpenEnum.make("PENDING", "COMPLETED")

describe("an open enum", () => {
  it.prop("accepts any string and preserves it", [Schema.String], ([text]) => {
    assert.strictEqual(Schema.decodeUnknownSync(Status)(text), text)
    assert.strictEqual(Schema.encodeSync(Status)(text), text)
  })

  for (const input of [null, 1, true, {}, ["PENDING"]]) {
    it(`rejects ${JSON.stringify(input)}`, () => assert(!Schema.is(Status)(input)))
  }
})

describe("enums are closed in requests and open in responses", () => {
  const assertOpen = (
    input: Schema.Schema.AnyNoContext,
    answer: Schema.Schema.AnyNoContext,
    literals: ReadonlyArray<string>
  ) => {
    for (const literal of literals) {
      assert(Schema.is(input)(literal))
      assert(Schema.is(answer)(literal))
    }
    for (const text of ["SOMETHING_NEW", literals.join("").toLowerCase(), ""]) {
      assert(!Schema.is(input)(text))
      assert(Schema.is(answer)(text))
    }
  }

  it("environments", () =>
    assertOpen(Environment.Input, Environment.Environment, ["SANDBOX", "LIVE"]))

  it("operation kinds (interface section 4.1)", () =>
    assertOpen(OperationKind.Input, OperationKind.OperationKind, [
      "COLLECTION",
      "DEPOSIT",
      "WITHDRAWAL",
      "REFUND",
      "TRANSFER",
      "PAYOUT",
      "REVERSAL",
      "FX_CONVERSION"
    ]))
})
