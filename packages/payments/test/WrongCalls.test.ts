/**
 * Ill-typed calls, as JavaScript can make them. They fail with a typed error that names the field, and
 * nothing is sent.
 */
import { assert, describe } from "@effect/vitest"
import type * as Errors from "@manilla/core/Errors"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Intents from "./utils/Intents.js"

describe("a call from JavaScript", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, string]> = [
    ["without options", [Intents.request], "key"],
    ["with null for its options", [Intents.request, null], "key"],
    ["without a key", [Intents.request, {}], "key"],
    ["without a request", [undefined, { key: Intents.key }], "request"]
  ]
  for (const name of ["create", "collect", "deposit"] as const) {
    for (const [how, given, field] of cases) {
      Test.effect(`to ${name} ${how} fails with InvalidRequestError`, function* () {
        const { payments, received } = yield* Intents.make([Intents.answer(Intents.created)])
        const call: (
          ...given: ReadonlyArray<unknown>
        ) => Effect.Effect<unknown, Errors.KeyedWriteError> = payments[name] as never
        const error = yield* Effect.flip(call(...given))
        assert(error._tag === "InvalidRequestError", String(error))
        const fields = error.issues.map((issue) => issue.field)
        if (name === "create" || field !== "request") assert.include(fields, field)
        assert.isEmpty(received)
      })
    }
  }
})
