// Runs the unit tests and the type tests. Fails if either fails, or if their reports contain no test or
// a failed one.
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { counts } from "./report.mjs"

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))))
rmSync(".reports", { recursive: true, force: true })

// TypeScript 7.0 has no JavaScript API, so tstyche uses version 6.0, a dependency of this folder.
process.env.TSTYCHE_TYPESCRIPT_MODULE = import.meta.resolve("typescript")

const run = (entry, ...args) =>
  spawnSync(process.execPath, [entry, ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 1_800_000,
    killSignal: "SIGKILL"
  }).status

const statuses = [
  run(
    "node_modules/vitest/vitest.mjs",
    "run",
    "--reporter=default",
    "--reporter=json",
    "--outputFile.json=.reports/vitest.json"
  ),
  run("node_modules/tstyche/dist/bin.js")
]

const { failed, passed } = counts()
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = statuses.every((status) => status === 0) && passed > 0 && failed === 0 ? 0 : 1
