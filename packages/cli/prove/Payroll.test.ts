/**
 * The command as it is shipped pays 50 rows of a CSV file on a sandbox with faults. It is killed with SIGKILL and
 * stopped with Ctrl-C. Each row is paid once, and rows in doubt are said.
 */
import { assert, it } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { statSync } from "node:fs"
import { join } from "node:path"
import { sandbox, settings } from "../test/utils/manilla.js"
import { spreadsheet } from "../test/utils/payroll.js"
import { bundle, program } from "./utils/command.js"

const phoneOf = (i: number) => `+22901${String(10_000_000 + i)}`

const employees = Array.from({ length: 50 }, (_, i) => `E${String(i + 1).padStart(3, "0")}`)

const csv = (amountOf: (i: number) => string) =>
  [
    "employee,name,phone,payment_method,country,currency,amount",
    ...employees.map((id, i) => `${id},Name ${i},${phoneOf(i)},mtn_momo,BJ,XOF,${amountOf(i)}`)
  ].join("\n")

const faults = [
  Fault.dropAfter({ operation: "Payouts.create", count: "always", probability: 0.3, seed: 1 }),
  Fault.status(503, {
    operation: "Payouts.create",
    processed: true,
    count: "always",
    probability: 0.2,
    seed: 2
  }),
  Fault.body("<html>", { operation: "Payouts.create", count: "always", probability: 0.2, seed: 3 }),
  Fault.dropAfter({ operation: "Payouts.get", count: "always", probability: 0.3, seed: 4 }),
  Fault.status(429, { operation: "Payouts.get", count: "always", probability: 0.2, seed: 5 })
]

interface Run {
  readonly signal: (signal: "SIGKILL" | "SIGINT") => void
  /** Waits until it has printed such a text. */
  readonly says: (text: RegExp) => Effect.Effect<void>
  readonly ended: Promise<{ readonly code: number | null; readonly printed: string }>
}

const start = (file: string) =>
  Effect.map(settings, (env): Run => {
    const child = spawn(process.execPath, [program, "payroll", file, "--yes"], {
      env: { ...process.env, ...env, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let printed = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => (printed += chunk.toString()))
    }
    const ended = new Promise<Awaited<Run["ended"]>>((resolve) =>
      child.once("close", (code) => resolve({ code, printed }))
    )
    return {
      signal: (signal) => child.kill(signal),
      says: (text) => Effect.repeat(Effect.sleep("20 millis"), { until: () => text.test(printed) }),
      ended
    }
  })

/** Waits until the service has made so many payouts. */
const made = (count: number) =>
  Effect.flatMap(Sandbox.Sandbox, ({ payouts }) =>
    Effect.repeat(Effect.delay(payouts, "20 millis"), { until: ({ length }) => length >= count })
  )

it.live("50 rows are paid once, although the command is stopped twice", () =>
  Effect.gen(function* () {
    yield* bundle
    const { file, folder } = yield* spreadsheet(csv((i) => `${1000 + i}.25`))
    const service = yield* Sandbox.Sandbox
    yield* Effect.forEach(faults, service.faults.add)

    const first = yield* start(file)
    yield* made(8)
    first.signal("SIGKILL")
    assert.strictEqual((yield* Effect.promise(() => first.ended)).code, null)

    const second = yield* start(file)
    yield* made(25)
    second.signal("SIGINT")
    const stopped = yield* Effect.promise(() => second.ended)
    assert.strictEqual(stopped.code, 130)
    const summary = stopped.printed.replace(/\s+/g, " ")
    assert.match(
      summary,
      /Stopped: \d+ paid, .*The same command continues, and pays nobody twice\./
    )
    assert.notInclude(stopped.printed, "was interrupted")
    assert.isBelow((yield* service.payouts).length, 50)

    const last = yield* start(file)
    const { code, printed } = yield* Effect.promise(() => last.ended)
    assert.strictEqual(code, 0, printed)
    assert.match(printed, /Continued: \d+ paid, .* until now\./)
    assert.include(printed, "50 paid.")

    const payouts = yield* service.payouts
    assert.sameMembers(
      payouts.map(
        ({ destination, amount }) =>
          `${destination === undefined ? "" : Redacted.value(destination)} ${amount}`
      ),
      employees.map((_, i) => `${phoneOf(i)} ${1000 + i}.2500`)
    )
    assert.isTrue(payouts.every(({ status }) => status === "COMPLETED"))
    assert.strictEqual(statSync(join(folder, "payroll-2026-11.sandbox.db")).mode & 0o777, 0o600)
    for (const text of [stopped.printed, printed]) assert.notMatch(text, /\+22901/)
  }).pipe(
    Effect.scoped,
    Effect.provide(sandbox({ settleAfter: "1 second" })),
    Effect.withRandom(Random.make(1))
  )
)

it.live("rows above the balance, whose first requests were cut off, are in doubt in words", () =>
  Effect.gen(function* () {
    yield* bundle
    const tooMuch = 12
    const { file } = yield* spreadsheet(csv((i) => (i < tooMuch ? "900000000" : String(1000 + i))))
    const { faults, payouts } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.delay("1 minute", { operation: "Payouts.create", count: 10 }))
    const first = yield* start(file)
    yield* Effect.repeat(Effect.delay(faults.pending, "20 millis"), {
      until: ({ length }) => length === 0
    })
    first.signal("SIGKILL")
    yield* Effect.promise(() => first.ended)

    const second = yield* start(file)
    yield* second.says(
      /^10 in doubt: the service responds with INSUFFICIENT_FUNDS \(the money may have moved\); next try in \d+ s$/m
    )
    // The others go on.
    yield* made(employees.length - tooMuch)
    second.signal("SIGINT")
    const { printed } = yield* Effect.promise(() => second.ended)
    assert.match(printed, /Stopped: \d+ paid,/)
    assert.lengthOf(yield* payouts, employees.length - tooMuch)
  }).pipe(Effect.scoped, Effect.provide(sandbox()))
)
