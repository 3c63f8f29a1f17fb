/**
 * Forward compatibility: unknown fields and values do not break the client.
 */
import { assert, describe, it } from "@effect/vitest"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as guard from "../../core/src/internal/body/guard.js"

/** A copy with an unknown field in every object except metadata. */
const grown = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(grown)
  if (typeof value !== "object" || value === null) return value
  return {
    ...Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        key === "metadata" ? member : grown(member)
      ])
    ),
    from_the_future: { nested: [null, 1, "x"] }
  }
}

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("the data of a response", () => {
  for (const [name, { success }] of ServiceApi.operations) {
    const fits = guard.compile(success)
    const decode = Schema.decodeUnknownSync(success)

    it(`of ${name} decodes with unknown fields and values`, () => {
      FastCheck.assert(
        FastCheck.property(Arbitrary.make(success), (value) => {
          const sent = json(value)
          assert.isTrue(fits(grown(sent)))
          assert.deepStrictEqual(decode(grown(sent)), sent)
        }),
        { numRuns: 50, seed: 42 }
      )
    })
  }
})
