/**
 * `UndiciClient` on a runtime that replaces undici with classes without methods, as Bun does.
 */
import { assert, it } from "@effect/vitest"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vi } from "vitest"

vi.mock("undici", () => ({ Agent: class {}, Pool: class {} }))

it.scoped("fails when the layer is built, and names the client to use", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Layer.build(UndiciClient.layer))
    assert.strictEqual(error._tag, "ConfigurationError")
    assert.match(error.message, /^UndiciClient needs Node.* FetchClient\.layer/)
  })
)
