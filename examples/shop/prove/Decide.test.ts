/**
 * The command of the person who decides, in a process of its own.
 */
import { assert, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Orders from "../src/Orders.js"
import * as Shop from "../src/Shop.js"
import { form } from "../test/utils/Buyer.js"

const decide = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, ["--import", "tsx", "src/decide.ts", ...args], {
    cwd: fileURLToPath(new URL("../", import.meta.url)),
    encoding: "utf8"
  })

it(
  "fails with the remedy, for a file and for an attempt that do not exist",
  { timeout: 120_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), "decide-"))
    const file = join(folder, "orders.db")
    const missing = decide(file)
    assert.include(missing.stdout + missing.stderr, "orders-SANDBOX-127.0.0.1.db")
    assert.strictEqual(missing.status, 1)
    closeSync(openSync(file, "w"))
    const unknown = decide(file, "order", "1", "paid")
    assert.include(unknown.stdout + unknown.stderr, "Name an attempt of the list")
    assert.strictEqual(unknown.status, 1)
    rmSync(folder, { recursive: true })
  }
)

/** Stores an order with a new attempt that a person decides. Returns the id of the order. */
const review = Effect.gen(function* () {
  const orders = yield* Orders.Orders
  const id = crypto.randomUUID()
  const order = { id, product: "beans", amount: "6500", currency: "XOF", details: {} }
  yield* orders.place(order)
  const { phone } = form
  yield* orders.attempt(id, 1, Shop.requestOf(order, { method: "mtn_bj", phone }))
  const [attempt] = yield* orders.claim(1, 30_000)
  const change = { state: "Review", payment_id: null, reason: null, note: null } as const
  yield* orders.settle(attempt ?? assert.fail("it was not claimed"), change, 0)
  return id
})

it.effect(
  "sends a request again, but after 23 hours it refuses and says why",
  () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "decide-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const file = join(folder, "orders.db")
      const reviewIn = Effect.provide(review, Orders.layer(file))
      for (const [hours, status, text] of [
        [22, 0, "Starting"],
        [24, 1, "After 23 hours the request could pay again"]
      ] as const) {
        yield* TestClock.setTime(Date.now() - hours * 3_600_000)
        const { status: exit, stderr, stdout } = decide(file, yield* reviewIn, "1", "again")
        assert.include(stdout + stderr, text)
        assert.strictEqual(exit, status)
      }
    }).pipe(Effect.scoped),
  60_000
)
