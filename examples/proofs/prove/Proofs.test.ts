/**
 * Servers of the guides, with every fault at every request, or killed there. They run beside each other: most of the time
 * they wait. Each run starts its server, so those in TypeScript are bundled.
 */
import * as Bundle from "@manilla/test-support/Bundle"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe } from "vitest"

const examples = fileURLToPath(new URL("../..", import.meta.url))
const bin = fileURLToPath(new URL("../../../packages/sandbox/src/bin.ts", import.meta.url))

/** The proof with the bundle of its server, if that is in TypeScript. */
const bundled = (file: string) =>
  Effect.gen(function* () {
    const text = readFileSync(file, "utf8")
    const [command, source] = /node --import tsx (\S+)/.exec(text) ?? []
    if (command === undefined || source === undefined) return file
    const program = yield* Bundle.make(join(dirname(file), source))
    const proof = join(dirname(program), "proof.yaml")
    writeFileSync(proof, text.replace(command, `node ${program}`))
    return proof
  })

describe.concurrent("a server passes", () => {
  for (const name of ["proofs/express", "proofs/python", "frameworks/proof", "http-api/proof"]) {
    it.scopedLive(
      `${name}.yaml`,
      () =>
        Effect.gen(function* () {
          const proof = yield* bundled(join(examples, `${name}.yaml`))
          const proving = spawn(process.execPath, ["--import", "tsx", bin, "prove", proof], {
            cwd: examples
          })
          let output = ""
          proving.stdout.on("data", (chunk) => (output += String(chunk)))
          proving.stderr.on("data", (chunk) => (output += String(chunk)))
          const code = yield* Effect.async<number | null>((resume) => {
            proving.once("close", (code) => resume(Effect.succeed(code)))
          })
          assert.strictEqual(code, 0, output)
        }),
      // More than a hundred runs, each with its own process, also on a slow machine.
      1_800_000
    )
  }
})
