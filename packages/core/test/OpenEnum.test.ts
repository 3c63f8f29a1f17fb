import { assert, describe, it } from "@effect/vitest"
import * as OpenEnum from "@manilla/core/OpenEnum"
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
