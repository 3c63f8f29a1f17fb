/**
 * The command of docs/guides/bundle.md: what it makes runs in a folder without packages.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundleTo } from "../../../scripts/bundled.js"
import { environment } from "../../../scripts/sandboxed.js"

const examples = join(import.meta.dirname, "../..")

/** Bundles an example, and runs the bundle against a new sandbox. */
const run = (program: string, parent = tmpdir()) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(parent, "manilla-bundle-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
    const file = join(folder, "main.mjs")
    yield* Effect.sync(() => bundleTo(file, join(examples, program)))
    const env = { ...process.env, ...(yield* environment), PORT: "0" }
    return yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [file], { cwd: folder, env })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
  })

/** The output of a program, to its end or until it matches. */
const outputOf = (child: ChildProcessWithoutNullStreams, pattern?: RegExp) =>
  Effect.promise(async () => {
    let output = ""
    child.stderr.on("data", (chunk) => (output += String(chunk)))
    for await (const chunk of child.stdout) {
      output += String(chunk)
      if (pattern?.test(output)) break
    }
    return output
  })

it.scopedLive.each([
  ["quickstart/main.ts", /^1500\.0000 XOF paid, payment \S+\n$/],
  ["promises/main.ts", /^\S+: COMPLETED\n/]
] as const)("bundles %s", ([program, expected]) =>
  Effect.gen(function* () {
    assert.match(yield* outputOf(yield* run(program)), expected)
  })
)

it.scopedLive("bundles a server with Express, which is CommonJS", () =>
  Effect.gen(function* () {
    // SQLite is native code, which stays in node_modules: here in those of its client.
    const client = realpathSync(join(examples, "node_modules/@libsql/client"))
    const child = yield* run("frameworks/server.ts", join(client, "../.."))
    const output = yield* outputOf(child, /port: \d+/)
    const [, port] = /port: (\d+)/.exec(output) ?? assert.fail(output)
    const url = `http://127.0.0.1:${port}/orders/6f1b8a52-3c1f-4a53-9a7e-6a2f54d1c0de`
    const { status } = yield* Effect.promise(() => fetch(url))
    assert.strictEqual(status, 404)
    const exited = once(child, "exit")
    child.kill("SIGTERM")
    assert.deepStrictEqual(yield* Effect.promise(() => exited), [0, null])
  })
)
