/** The command `manilla-workflows` beside a process that runs workflows, in real time. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Bundle from "@manilla/test-support/Bundle"
import * as Files from "@manilla/test-support/Files"
import * as Postgres from "@manilla/test-support/Postgres"
import * as Test from "@manilla/test-support/Test"
import * as Operator from "@manilla/workflow-engine/Operator"
import { layerPostgres } from "@manilla/workflow-engine/postgres"
import * as Sqlite from "@manilla/workflow-engine/sqlite"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Policy from "@manilla/workflows/Policy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { execFile, spawnSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { operations } from "../src/internal/operate/operations.js"
import * as world from "../test/utils/world.js"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

const scope = Effect.runSync(Scope.make())
let program: string
beforeAll(async () => {
  program = await Effect.runPromise(Scope.extend(Bundle.make(bin), scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

type Database = readonly ["--sqlite" | "--postgres", string]

/** Runs the command in a process of its own. */
const command = (database: Database, name: string, ...args: ReadonlyArray<string>) =>
  Effect.async<{ readonly code: number; readonly text: string }>((resume) => {
    execFile(process.execPath, [program, name, ...database, ...args], (error, stdout, stderr) => {
      resume(Effect.succeed({ code: Number(error?.code ?? 0), text: stdout + stderr }))
    })
  })

const text = (database: Database, name: string, ...args: ReadonlyArray<string>) =>
  Effect.tap(command(database, name, ...args), ({ code, text }) =>
    Effect.sync(() => assert.strictEqual(code, 0, text))
  ).pipe(Effect.map(({ text }) => text))

/** A payout that is pending pauses for an hour. */
const policy = {
  look: { initial: "50 millis", factor: 1, cap: "50 millis", deadline: "100 millis" },
  wait: { initial: "1 hour", factor: 2, deadline: "1 day" }
} as const

const workflows = PayoutBatch.layer({ concurrency: 1 }).pipe(
  Layer.provideMerge(Layer.provide(DisbursePayout.layer, Policy.layer(policy)))
)

const databases = {
  SQLite: Effect.map(Files.database, (file) => {
    const database: Database = ["--sqlite", file]
    const engine = Sqlite.layerSqlite({ file })
    return { database, live: Layer.orDie(Layer.provideMerge(workflows, engine)) }
  }),
  PostgreSQL: Effect.gen(function* () {
    const { url } = yield* Postgres.server
    const database: Database = ["--postgres", Redacted.value(url)]
    const engine = layerPostgres({ url })
    return { database, live: Layer.orDie(Layer.provideMerge(workflows, engine)) }
  })
}

const phone = "+2290161234567"

/** Starts a payout, and waits until it pauses. */
const paused = (key: string) =>
  Effect.gen(function* () {
    const payouts = yield* Operator.of(DisbursePayout.workflow)
    yield* payouts.start({ key: world.key(key), ...(yield* world.payout) })
    yield* Effect.repeat(Effect.delay(payouts.status(key), "20 millis"), {
      until: ({ pause }) => pause !== undefined
    })
    return payouts
  })

const requests = Effect.flatMap(Sandbox.Sandbox, ({ exchanges }) =>
  Effect.map(exchanges, (all) => all.length)
)

describe.each(["SQLite", "PostgreSQL"] as const)("the command beside a process on %s", (engine) => {
  Test.over(world.services({ settleAfter: "2 seconds" })).live(
    "shows an execution without a request, and without a phone number unless it is asked for",
    function* () {
      const { database, live } = yield* databases[engine]
      yield* Effect.gen(function* () {
        const payouts = yield* paused("salary-7")
        const before = yield* requests
        const list = yield* text(database, "list")
        assert.match(list, /^salary-7 +Manilla\/DisbursePayout\/\d+ +looks again/m)
        assert.isTrue(list.split("\n").every((line) => line.length <= 100))
        const shown = yield* text(database, "show", "salary-7")
        assert.match(shown, /It has no final status yet. It looks again .* \(in \d+ minutes/)
        assert.match(shown, /request 1: answered: id PYT-/)
        assert.match(shown, /^Workflows are run by /m)
        const json = yield* text(database, "show", "salary-7", "--json")
        assert.notInclude(list + shown + json, phone)
        assert.include(yield* text(database, "show", "salary-7", "--reveal"), phone)
        assert.strictEqual(yield* requests, before)
        yield* text(database, "resume", "salary-7")
        const ended = yield* Effect.timed(payouts.await("salary-7"))
        assert.strictEqual(ended[1].status, "COMPLETED")
        assert.isBelow(Duration.toSeconds(ended[0]), 30)
        assert.include(yield* text(database, "show", "salary-7"), "status COMPLETED")
        yield* text(database, "purge", "salary-7")
        assert.strictEqual((yield* Effect.flip(payouts.await("salary-7")))._tag, "ExecutionPurged")
      }).pipe(Effect.provide(live))
    },
    90_000
  )

  Test.over(world.services({ settleAfter: "100 millis" })).live(
    "pauses, resumes and interrupts a batch, and prints its results",
    function* () {
      const { database, live } = yield* databases[engine]
      const { faults, payouts } = yield* Sandbox.Sandbox
      yield* faults.add(Fault.delay("1 second", { operation: "Payouts.create", count: 1_000 }))
      const made = Effect.map(payouts, (all) => all.length)
      const request = yield* world.payout
      yield* Effect.gen(function* () {
        const batches = yield* PayoutBatch.PayoutBatch
        const items = Stream.map(Stream.range(1, 40), (i) => ({ key: `E${i}`, request }))
        yield* batches.start("payroll", items)
        yield* text(database, "pause", "payroll")
        // The item that is being sent continues.
        yield* Effect.sleep("3 seconds")
        const count = yield* made
        assert.include(yield* text(database, "list"), "is paused")
        assert.strictEqual(yield* made, count)
        yield* text(database, "resume", "payroll")
        yield* Effect.repeat(Effect.delay(made, "50 millis"), { until: (now) => now > count })
        yield* text(database, "interrupt", "payroll")
        const summary = yield* batches.await("payroll")
        assert.isAbove(summary.notStarted, 0)
        assert.strictEqual(summary.completed + summary.notStarted, 40)
        assert.strictEqual(yield* made, summary.completed)
        const csv = yield* text(database, "results", "payroll", "--csv")
        assert.match(csv, /^item,key,state,reference,status,amount,currency,error\nE1,/)
        assert.lengthOf(csv.match(/,completed,/g) ?? [], summary.completed)
        assert.notInclude(csv, phone)
        assert.include(yield* text(database, "results", "payroll", "--csv", "--reveal"), phone)
      }).pipe(Effect.provide(live))
    },
    120_000
  )
})

it.each([[[]], [["--help"]]])(
  "lists its operations in a terminal of 100 columns, with the arguments %j",
  (args) => {
    const { status, stdout } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" })
    assert.strictEqual(status, 0)
    const lines = stdout.split("\n")
    for (const name of Object.keys(operations)) {
      assert.lengthOf(
        lines.filter((line) => line.startsWith(`  ${name} `)),
        1,
        name
      )
    }
    for (const line of lines) assert.isAtMost(line.length, 100, line)
  }
)

it("the help of an operation starts with its usage, and says nothing about types of text", () => {
  const args = [program, "show", "--help"]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
  assert.strictEqual(status, 0)
  assert.match(stdout, /^manilla-workflows show \[--sqlite text\].* <key>\n\nDESCRIPTION\n/)
  assert.notMatch(stdout, /user-defined|is optional/)
})

it("the command without its optional packages says in one line how to install them", () => {
  const code = `export const resolve = (name, context, next) => {
    if (!name.startsWith("@effect/cli")) return next(name, context)
    throw Object.assign(new Error("no package"), { code: "ERR_MODULE_NOT_FOUND" })
  }`
  const hooks = `data:text/javascript,${encodeURIComponent(code)}`
  const register = `import { register } from "node:module"; register(${JSON.stringify(hooks)})`
  const preload = `data:text/javascript,${encodeURIComponent(register)}`
  const args = ["--import", "tsx", "--import", preload, bin, "list"]
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
  assert.strictEqual(status, 1)
  assert.strictEqual(stdout, "")
  assert.match(
    stderr,
    /^manilla-workflows needs .*: npm install( "@effect\/[a-z-]+@\^[\d.]+"){4}\n$/,
    "the latest versions on npm may be too new"
  )
})

Test.live(
  "a wrong key, file or layout is named with its remedy, and nothing changes",
  function* () {
    const file = yield* Files.database
    const sqlite = (file: string): Database => ["--sqlite", file]
    const refused = (...args: Parameters<typeof command>) =>
      Effect.map(command(...args), ({ code, text }) => {
        assert.strictEqual(code, 1)
        return text
      })
    assert.include(yield* refused(sqlite(file), "list"), "there is no such file")
    assert.isFalse(existsSync(file))
    yield* Effect.scoped(Layer.build(Sqlite.layerSqlite({ file })))
    assert.include(
      yield* refused(sqlite(file), "show", "nobody"),
      'no execution or batch has the key "nobody"'
    )
    assert.include(yield* refused(sqlite(file), "list", "--state", "odd"), "state must be")
    const csv = yield* refused(sqlite(file), "show", "nobody", "--csv")
    assert.include(csv, "unknown argument: '--csv'")
    const two = yield* refused(sqlite(file), "list", "--postgres", "postgres://127.0.0.1:1/none")
    assert.include(two, "name one database")
    const full = `"${process.execPath}" "${program}" list --sqlite "${file}" > /dev/full`
    assert.strictEqual(spawnSync("bash", ["-c", full]).status, 1)
    writeFileSync(`${file}.txt`, "This is a text, and no database at all.".repeat(100))
    assert.include(yield* refused(sqlite(`${file}.txt`), "list"), "file is not a database")
    writeFileSync(`${file}.new`, "")
    assert.include(yield* refused(sqlite(`${file}.new`), "list"), "no workflows are stored here")
  },
  60_000
)
