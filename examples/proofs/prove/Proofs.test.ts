/**
 * Servers of the guides, with every fault at every request, or killed there. They run beside each other: most of the time
 * they wait.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"

const examples = fileURLToPath(new URL("../..", import.meta.url))
const bin = fileURLToPath(new URL("../../../packages/sandbox/src/bin.ts", import.meta.url))

it.concurrent.each([
  ["proofs", "express"],
  ["proofs", "python"],
  ["frameworks", "proof"],
  ["http-api", "proof"]
])(
  "the server of %s/%s.yaml passes",
  async (folder, name) => {
    const args = ["--import", "tsx", bin, "prove", `${name}.yaml`]
    const proving = spawn(process.execPath, args, { cwd: examples + folder })
    let output = ""
    proving.stdout.on("data", (chunk) => (output += String(chunk)))
    proving.stderr.on("data", (chunk) => (output += String(chunk)))
    const code = await new Promise((resolve) => proving.once("close", resolve))
    assert.strictEqual(code, 0, output)
  },
  900_000
)
