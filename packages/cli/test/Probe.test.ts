/** What the probe does not do. `prove/Probe.test.ts` shows what it finds. */
import { assert, it } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { phone } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import { manilla, sandbox, tokenFor } from "./utils/manilla.js"

const onlyTokens = Effect.gen(function* () {
  const { exchanges } = yield* Sandbox.Sandbox
  const operations = (yield* exchanges).map(({ operation }) => operation)
  return operations.every(
    (operation) => operation === "Token.obtain" || operation === "Catalogue.list"
  )
})

it.live("the probe refuses credentials for real money", () =>
  Effect.gen(function* () {
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.body(tokenFor("LIVE"), { operation: "Token.obtain", count: "always" }))
    const changes = { MANILLA_ENVIRONMENT: undefined }
    const { code, err } = yield* manilla(["probe", "--phone", phone, "--yes"], changes)
    assert.strictEqual(code, 2)
    assert.include(err, "The probe runs in SANDBOX only.")
    assert.isTrue(yield* onlyTokens)
  }).pipe(Effect.provide(sandbox()))
)

it.live("the probe says what it creates, and creates nothing without an answer", () =>
  Effect.gen(function* () {
    const { code, err } = yield* manilla(["probe", "--phone", phone])
    assert.strictEqual(code, 2)
    assert.match(err, /creates up to \d payments of 100 XOF and 2 payment links at http.*add --yes/)
    assert.isTrue(yield* onlyTokens)
  }).pipe(Effect.provide(sandbox()))
)
