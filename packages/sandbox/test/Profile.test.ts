/** Sandboxes that behave like a service that was probed. */
import { assert, describe } from "@effect/vitest"
import { tests } from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as input from "../src/internal/command/input.js"

const page = { parameter: "page_number", default_per_page: 2 }

describe("a sandbox with other pages", () => {
  tests({ page }, { pageParameter: page.parameter })(
    "selects a page by the parameter of the profile alone",
    function* ({ cardholders }) {
      const first = yield* cardholders.list()
      assert.strictEqual(first.per_page, 2)
      const ignored = yield* cardholders.list({}, { extraParams: { page: "2" } })
      assert.deepStrictEqual(ignored, first)
      const all = yield* Stream.runCollect(cardholders.stream({ per_page: 1 }))
      assert.strictEqual(all.length, first.total)
    }
  )
})

describe("the file of a profile", () => {
  const read = (text: string) =>
    Effect.acquireUseRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-profile-"))),
      (folder) => {
        const file = join(folder, "profile.json")
        writeFileSync(file, text)
        return input.readProfile(file)
      },
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )

  Test.effect("is read without what a sandbox cannot have", function* () {
    const idempotency = { other_body: 409 } as const
    const evidence = { "page.parameter": "seen" }
    const found = yield* read(JSON.stringify({ service: "x", page, idempotency, evidence }))
    assert.deepStrictEqual(found, { page, idempotency })
  })

  for (const [text, said] of [
    ["{", "must be"],
    ['{"idempotency":{"other_body":400}}', "idempotency.other_body must be"],
    [
      '{"page":{"default_per_page":0}}',
      "page.default_per_page must be a whole number from 1 to 100"
    ]
  ] as const) {
    Test.effect(`with ${text} is refused`, function* () {
      const { message } = yield* Effect.flip(read(text))
      assert.include(message, "--profile cannot use")
      assert.include(message, said)
    })
  }
})
