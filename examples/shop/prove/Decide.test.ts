/**
 * The command of the person who decides, in a process of its own.
 */
import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const decide = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, ["--import", "tsx", "src/decide.ts", ...args], {
    cwd: fileURLToPath(new URL("../", import.meta.url)),
    encoding: "utf8"
  })

it(
  "fails with the remedy, for a file and for an attempt that do not exist",
  { timeout: 60_000 },
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
