import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as envelope from "../src/internal/http/envelope.js"

describe("envelopes", () => {
  const Thing = envelope.Success(Schema.Struct({ id: Schema.String }))

  for (const meta of [
    {},
    { meta: {} },
    { meta: { correlation_id: null } },
    { meta: { correlation_id: "not a UUID" } }
  ]) {
    it(`of a success may end with ${JSON.stringify(meta)}`, () => {
      assert.deepStrictEqual(
        Schema.decodeUnknownSync(Thing)({ success: true, data: { id: "a" }, ...meta }),
        { success: true, data: { id: "a" }, ...meta }
      )
    })
  }

  it("of an error may have any details", () => {
    for (const details of [{ amount: ["too low"] }, ["too low"], [], {}, undefined]) {
      const error = { code: "X", message: "words", details }
      assert(Schema.is(envelope.Failure)({ success: false, data: { error } }))
    }
  })
})
