/** The store of executions, in memory and on SQLite. */
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Files from "@manilla/test-support/Files"
import * as Spans from "@manilla/test-support/Spans"
import * as Test from "@manilla/test-support/Test"
import { forOperator } from "../src/internal/engineStore.js"
import * as Execution from "../src/Execution.js"
import type * as Store from "../src/Store.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as memoryStore from "../src/internal/memoryStore.js"
import * as transitions from "../src/internal/transitions.js"
import * as database from "../src/internal/sql/database.js"
import * as runners from "../src/internal/sql/runners.js"
import { onFile, onSqlite } from "./utils/sqlite.js"
import { execution } from "./utils/stores.js"
import * as stores from "./utils/stores.js"

describe("the store in memory", () => stores.test(memoryStore.make, it.scoped))

describe("the store on SQLite", () => stores.test(onSqlite, it.scoped))

it("a try that is stored twice, because a response was lost, counts as one death", () => {
  for (const deaths of [3, 12]) {
    const before = { ...execution(1), deaths }
    const once = transitions.trying("pay", deaths)(before)
    assert.strictEqual(once.deaths, deaths + 1)
    assert.deepStrictEqual(transitions.trying("pay", deaths)(once), once)
  }
})

it.each([
  ["woken", transitions.woken],
  ["interrupted", transitions.interrupted],
  ["resumed", transitions.resumed]
] as const)("an execution that has ended stays as it is when it is %s", (_, change) => {
  const end = { state: "Succeeded", atMillis: 2 } as const
  const ended = { ...execution(undefined), clocks: { "sleep/a": 9 }, end }
  assert.deepStrictEqual(change(ended), ended)
})

Test.effect("wakes, signals and purges of many executions share statements", function* () {
  let statements = 0
  const tracer = Spans.tracer({
    span: (name) => void (statements += name === "sql.execute" ? 1 : 0)
  })
  const store = yield* Effect.withTracer(onSqlite, tracer)
  const ids = Array.from({ length: 300 }, (_, i) => `ended-${i}`)
  yield* store.insert(execution(undefined))
  const end = { state: "Failed", atMillis: 2 } as const
  yield* Effect.forEach(ids, (id) => store.insert({ ...execution(undefined, id), end }), {
    concurrency: "unbounded"
  })
  const operator = forOperator(store)
  const all = yield* store.list({ states: ["Failed"] }, undefined, 300)
  const signal = (id: string) =>
    store.signal("id-42", { name: `deferred/${id}`, exit: "{}", storedMillis: 1 })
  for (const [most, run] of [
    [5, Effect.forEach(ids, () => store.wake("id-42"), { concurrency: "unbounded" })],
    [5, Effect.forEach(ids, signal, { concurrency: "unbounded" })],
    [20, Effect.forEach(all, operator.purge, { concurrency: "unbounded" })]
  ] as const) {
    statements = 0
    yield* Effect.withTracer(run, tracer)
    assert.isAtMost(statements, most)
  }
  assert.lengthOf(yield* store.steps("id-42"), 300)
  assert.lengthOf(yield* store.list({ isPurged: true }, undefined, 301), 300)
})

it.scoped.each(["forget", "modify"] as const)(
  "a purge that the store fails in %s is completed by the next one",
  (name) =>
    Effect.gen(function* () {
      const store = yield* memoryStore.make
      const end = { state: "Failed", atMillis: 2 } as const
      yield* store.insert(execution(7))
      yield* store.storeStep("id-42", 7, { name: "pay/1", exit: "PO-1", storedMillis: 1 })
      yield* store.modify("id-42", (one) => ({ ...one, runner: undefined, end }))
      const away = () => Effect.fail(new Execution.StorageError({ operation: "purge", cause: "" }))
      const found = Effect.flatten(store.read("id-42"))
      yield* Effect.flip(forOperator({ ...store, [name]: away }).purge(yield* found))
      // An execution that is marked is never purged again.
      assert.isFalse((yield* found).isPurged)
      yield* forOperator(store).purge(yield* found)
      assert.isTrue((yield* found).isPurged)
      assert.deepStrictEqual(yield* store.steps("id-42"), [])
    })
)

Test.effect("a list reads the rows of its page only", function* () {
  const file = yield* Files.database
  const sql = Context.get(yield* Layer.build(database.layer(file)), SqlClient.SqlClient)
  let statement = ""
  const attribute = (_: string, name: string, value: unknown) => {
    if (name === "db.query.text") statement = String(value)
  }
  const { list } = yield* onFile(file)
  for (const filter of [
    { states: ["Failed"] },
    { states: ["Running", "Waiting"] },
    { states: ["Succeeded"], isPurged: false, endedBeforeMillis: 5 }
  ] satisfies ReadonlyArray<Store.Filter>) {
    yield* Effect.withTracer(list(filter, undefined, 10), Spans.tracer({ attribute }))
    const plan = yield* sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${statement}`)
    const reads = plan.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH)/.test(detail))
    const index = /^(SCAN|SEARCH) listed USING COVERING INDEX manilla_executions_listed/
    assert.match(reads.find((detail) => detail.includes("listed")) ?? "", index)
  }
})

Test.effect("two processes on one file lose no change", function* () {
  const file = yield* Files.database
  const first = yield* onFile(file)
  const second = yield* onFile(file)
  const owner = yield* first.runners.join
  yield* first.insert(execution(owner))
  yield* second.modify("id-42", transitions.interrupted)
  yield* first.modify("id-42", (one) => ({ ...one, resource: "PO-1" }), owner)
  const stored = yield* Effect.flatten(second.read("id-42"))
  assert.deepInclude(stored, { resource: "PO-1", isCancelRequested: true, wakes: 1 })

  // The first process remembers who owned it.
  const other = yield* second.runners.join
  const give = (runner: number) => second.modify("id-42", (one) => ({ ...one, runner }))
  const isChanged = Effect.map(first.modify("id-42", transitions.woken, other), Option.isSome)
  yield* give(other)
  assert.isTrue(yield* isChanged)
  yield* give(owner)
  assert.isFalse(yield* isChanged)
})

Test.effect("a runner loses what it has when it is silent, or its process has ended", function* () {
  const file = yield* Files.database
  const sql = Context.get(yield* Layer.build(database.layer(file)), SqlClient.SqlClient)
  const store = yield* onFile(file)
  const other = yield* onFile(file)
  const here = runners.place()
  const gone = 2 ** 30
  const silent = yield* store.runners.join
  const beating = yield* store.runners.join
  const reaper = yield* other.runners.join
  // A process that died while it ended.
  yield* store.insert(execution(99, "99"))
  yield* other.runners.reap(reaper)
  yield* sql`UPDATE manilla_runners SET beat = 0`
  yield* store.runners.beat(beating)
  const now = Date.now()
  const processes = [
    [11, "elsewhere", gone, 1, now],
    [12, here, gone, 1, now],
    // Another process has its id now.
    [13, here, process.pid, 1, now],
    // It died, and then its clock, which was ahead, was set right.
    [14, "elsewhere", gone, 1, now + 3_600_000]
  ] as const
  for (const [id, place, pid, born, beat] of processes) {
    yield* sql`INSERT INTO manilla_runners ${sql.insert({ id, place, pid, born, beat })}`
  }
  const all = [silent, beating, reaper, ...processes.map(([id]) => id)]
  for (const runner of all) yield* store.insert(execution(runner, `${runner}`))
  yield* other.runners.reap(reaper)
  const owners: Array<number> = []
  for (const runner of [...all, 99]) {
    // This process remembers whom it has stored.
    const owned = yield* store.modify(`id-${runner}`, transitions.woken, runner)
    if (Option.isSome(owned)) owners.push(runner)
  }
  assert.deepStrictEqual(owners, [beating, reaper, 11])
})
