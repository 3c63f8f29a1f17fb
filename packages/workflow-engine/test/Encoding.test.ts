import { assert, describe } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as Encoding from "@manilla/workflow-engine/Encoding"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Schema from "effect/Schema"

const success = Schema.UndefinedOr(
  Schema.Struct({ at: Schema.Date, of: Schema.NullOr(Schema.String) })
)
const failure = Schema.TaggedStruct("Refused", { at: Schema.Date })
const refused = failure.make({ at: new Date(1) })

/** Earlier versions have stored such texts. */
const schema = Schema.parseJson(Schema.Exit({ success, failure, defect: Schema.Defect }))

const exits: ReadonlyArray<Exit.Exit<typeof success.Type, typeof failure.Type>> = [
  Exit.succeed(undefined),
  Exit.succeed({ at: new Date(2), of: "null" }),
  Exit.succeed({ at: new Date(2), of: null }),
  Exit.fail(refused),
  Exit.die("a defect"),
  Exit.interrupt(FiberId.none),
  Exit.failCause(Cause.parallel(Cause.fail(refused), Cause.die("a defect"))),
  Exit.failCause(Cause.sequential(Cause.empty, Cause.interrupt(FiberId.runtime(1, 2))))
]

describe("the text of an end", () => {
  for (const exit of exits) {
    Test.effect(`is that of Schema.Exit: ${String(exit)}`, function* () {
      const text = Schema.encodeSync(schema)(exit)
      const codec = Encoding.exitCodec(success, failure)
      const encoded = yield* codec.encode("it", exit)
      const exitJson = Encoding.exitJson(success, failure)
      assert.strictEqual(encoded.json, text)
      assert.strictEqual(Schema.encodeSync(exitJson)(exit), text)
      for (const read of [
        encoded.exit,
        yield* codec.fromJson(text),
        Schema.decodeSync(exitJson)(text)
      ]) {
        assert.deepStrictEqual(read, Schema.decodeSync(schema)(text))
      }
    })
  }

  for (const value of [NaN, Infinity, -Infinity]) {
    Test.effect(`does not keep ${value}`, function* () {
      const codec = Encoding.exitCodec(Schema.Struct({ sum: Schema.Number }), Schema.Never)
      const message = yield* Effect.flip(codec.encode("it", Exit.succeed({ sum: value })))
      assert.include(message, "sum")
    })
  }
})
