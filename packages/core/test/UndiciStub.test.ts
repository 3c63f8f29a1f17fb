/**
 * `UndiciClient` on a runtime that replaces undici with classes without methods, as Bun does.
 */
import { assert } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vi } from "vitest"

/** Imports the module again, because another test file of this process may have imported it. */
const withStub = Effect.acquireRelease(
  Effect.promise(() => {
    vi.resetModules()
    vi.doMock("undici", () => ({ Agent: class {}, Pool: class {} }))
    return import("@manilla/core/UndiciClient")
  }),
  () =>
    Effect.sync(() => {
      vi.doUnmock("undici")
      vi.resetModules()
    })
)

Test.effect("fails when the layer is built, and names the client to use", function* () {
  const { layer } = yield* withStub
  const error = yield* Effect.flip(Layer.build(layer))
  assert.strictEqual(error._tag, "ConfigurationError")
  assert.match(error.message, /^undici must be the module undici 7.* FetchClient\.layer/)
})
