/** A process that runs a batch on SQLite is killed again and again. */
import { assert, it } from "@effect/vitest"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as files from "../test/utils/files.js"
import * as service from "./utils/service.js"

const count = 30
const lives = 5

const worker = fileURLToPath(new URL("utils/batchWorker.ts", import.meta.url))

/** Runs the worker until it prints a line that satisfies a predicate, and kills it. */
const life = (settings: string, until: (line: string) => boolean) =>
  Effect.async<string>((resume) => {
    const child = spawn(process.execPath, ["--import", "tsx", worker], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, WORKER: settings }
    })
    let last = ""
    let text = ""
    child.stdout.on("data", (data: Buffer) => {
      text += data.toString()
      const found = text.split("\n").slice(0, -1).find(until)
      if (found !== undefined) {
        last = found
        child.kill("SIGKILL")
      }
    })
    child.once("exit", (code) => {
      resume(
        last === ""
          ? Effect.die(new Error(`the worker ended with ${code} after ${text}`))
          : Effect.succeed(last)
      )
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

it.live(
  "a batch continues after each kill, and pays each item once",
  () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { faults, payouts } = sandbox
      const file = yield* files.database
      const settings = JSON.stringify({ ...(yield* service.access(sandbox)), file, count })
      for (let i = 1; i < lives; i++) {
        // Creations are applied without a response, and slow, so that a kill meets some.
        yield* Effect.forEach(
          [
            Fault.dropAfter({ operation: "Payouts.create", count: 4 }),
            Fault.delay("200 millis", { operation: "Payouts.create", count: 10 })
          ],
          faults.add
        )
        const atLeast = Math.round((i * count) / (lives + 1))
        yield* life(settings, (line) => line.startsWith("made") && Number(line.slice(5)) >= atLeast)
      }
      yield* faults.clear
      const summary = yield* life(settings, (line) => line.startsWith("summary"))
      assert.deepInclude(JSON.parse(summary.slice(8)), { total: count, completed: count })
      const made = yield* payouts
      assert.lengthOf(made, count)
      assert.strictEqual(new Set(made.map(({ idempotency_key }) => idempotency_key)).size, count)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        SandboxServer.layer({
          seed: 1,
          settleAfter: "1 second",
          wallets: [
            { currency: Currency.Currency.make("XOF"), balance: Amount.Amount.make("1000000000") }
          ]
        })
      )
    ),
  // 15 seconds on an idle machine.
  300_000
)
