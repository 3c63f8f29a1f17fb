/** The probe finds each profile of idempotency keys that the sandbox can have. */
import { assert, describe, it } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { phone } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { manilla, sandbox } from "../test/utils/manilla.js"

const profiles = ([422, 409, "replay"] as const).flatMap((other_body) =>
  ([409, "wait", "replay"] as const).flatMap((in_flight) =>
    (["replay", "again"] as const).map((failures) => ({ other_body, in_flight, failures }))
  )
)

/** A service takes its time; a sandbox only if it is asked to. */
const slow = Fault.delay("300 millis", {
  operation: "Payments.create",
  field: { name: "description", value: "manilla probe: in-flight" }
})

/** Runs the probe, and returns its profile. */
const probed = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-probe-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const out = join(folder, "profile.json")
  const { faults } = yield* Sandbox.Sandbox
  yield* faults.add(slow)
  const printed = yield* manilla(["probe", "--phone", phone, "--yes", "--out", out])
  assert.strictEqual(printed.code, 0, printed.err)
  const text = readFileSync(out, "utf8")
  assert.notInclude(text + printed.out + printed.err, phone)
  const profile: Readonly<Record<string, unknown>> = JSON.parse(text)
  return { profile, printed }
})

describe("the probe finds the profile", () => {
  for (const idempotency of profiles) {
    it.scopedLive(JSON.stringify(idempotency), () =>
      Effect.gen(function* () {
        const { profile } = yield* probed
        assert.deepStrictEqual(profile["idempotency"], idempotency)
      }).pipe(Effect.provide(sandbox({ idempotency })))
    )
  }
})
