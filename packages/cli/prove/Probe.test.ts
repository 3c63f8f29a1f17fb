/** The probe finds each profile of idempotency keys that the sandbox can have. */
import { assert, describe } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as Fault from "@manilla/sandbox/Fault"
import * as Profile from "@manilla/sandbox/Profile"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { phone } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { manilla, sandbox } from "../test/utils/manilla.js"
import { folder } from "../test/utils/payroll.js"

const profiles = ([422, 409, "replay"] as const).flatMap((other_body) =>
  ([409, "wait", "replay"] as const).flatMap((in_flight) =>
    (["replay", "again"] as const).map((failures) => ({ other_body, in_flight, failures }))
  )
)

/** A service takes its time; a sandbox only if it is asked to. */
const slow = Fault.delay("1 second", {
  operation: "Payments.create",
  field: { name: "description", value: "manilla probe: in-flight" }
})

/** As `manilla-sandbox --profile` reads it. */
const decode = Schema.decode(Schema.parseJson(Profile.Profile))

/** Runs the probe, and returns its profile. */
const probed = Effect.gen(function* () {
  const path = yield* folder
  const out = join(path, "profile.json")
  const { faults } = yield* Sandbox.Sandbox
  yield* faults.add(slow)
  const printed = yield* manilla(["probe", "--phone", phone, "--yes", "--out", out])
  assert.strictEqual(printed.code, 0, printed.err)
  const text = readFileSync(out, "utf8")
  assert.notInclude(text + printed.out + printed.err, phone)
  return { profile: yield* Effect.orDie(decode(text)), out: printed.out }
})

describe("the probe finds the profile", () => {
  for (const idempotency of profiles) {
    Test.over(sandbox({ idempotency })).live(JSON.stringify(idempotency), function* () {
      const { profile } = yield* probed
      assert.deepStrictEqual(profile.idempotency, idempotency)
      const again = yield* Effect.provide(probed, sandbox(profile))
      assert.deepStrictEqual(again.profile, profile)
    })
  }

  for (const parameter of ["page", "page_number", "page[number]", "p"]) {
    const page = { parameter, default_per_page: 7 }
    Test.over(sandbox({ page })).live(JSON.stringify(page), function* () {
      const { out, profile } = yield* probed
      assert.deepStrictEqual(profile.page, page)
      assert.include(out, `export MANILLA_PAGE_PARAMETER='${parameter}'`)
      const changes = { MANILLA_PAGE_PARAMETER: parameter }
      const listed = yield* manilla(["cardholders", "list", "--per-page", "1", "--csv"], changes)
      assert.strictEqual(listed.code, 0, listed.err)
    })
  }
})
