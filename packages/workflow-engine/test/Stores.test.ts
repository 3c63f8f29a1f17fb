/** The store of executions, in memory and on SQLite. */
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Files from "@manilla/test-support/Files"
import type * as Execution from "@manilla/workflow-engine/Execution"
import type * as Store from "@manilla/workflow-engine/Store"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as memoryStore from "../src/internal/memoryStore.js"
import * as transitions from "../src/internal/transitions.js"
import * as database from "../src/internal/sql/database.js"
import * as runners from "../src/internal/sql/runners.js"
import * as sqlEngine from "../src/internal/sql/sqlEngine.js"
import * as sqlStore from "../src/internal/sql/sqlStore.js"
import * as executions from "./utils/executions.js"

const onFile = (file: string) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(database.layer(file))
    return yield* Effect.gen(function* () {
      yield* sqlEngine.createTables("test")
      return yield* sqlStore.make(yield* runners.make("15 seconds"))
    }).pipe(Effect.provide(context))
  })

const onSqlite = Effect.flatMap(Files.database, onFile)

const execution = (runner: number | undefined, id = "42"): Execution.Execution => ({
  ...executions.execution,
  businessKey: `order-${id}`,
  executionId: `id-${id}`,
  runner
})

const stores = { memory: memoryStore.make, SQLite: onSqlite }

describe.each(Object.entries(stores))("the store in %s", (_, make) => {
  it.scoped("keeps the first result of a step, and none of a runner that does not own it", () =>
    Effect.gen(function* () {
      const { insert, keep, modify, runners, steps } = yield* make
      const owner = yield* runners.join
      const other = yield* runners.join
      yield* insert(execution(owner))
      const result = (exit: string, storedMillis = 2) => ({ name: "pay/1", exit, storedMillis })
      const kept = { exit: "first", isCancelRequested: false }
      assert.deepStrictEqual(yield* Effect.flatten(keep("id-42", owner, result("first"))), kept)
      assert.deepStrictEqual(yield* Effect.flatten(keep("id-42", owner, result("second", 3))), kept)
      assert.isTrue(Option.isNone(yield* keep("id-42", other, result("third"))))
      assert.deepStrictEqual(yield* steps("id-42"), [result("first")])

      yield* modify("id-42", (stored) => ({ ...stored, isCancelRequested: true }))
      const after = yield* Effect.flatten(
        keep("id-42", owner, { ...result("done"), name: "ship/1" })
      )
      assert.deepStrictEqual(after, { exit: "done", isCancelRequested: true })
    })
  )

  it.scoped("changes an execution for its owner only", () =>
    Effect.gen(function* () {
      const { insert, modify, read, runners } = yield* make
      const owner = yield* runners.join
      const other = yield* runners.join
      yield* insert(execution(owner))
      const named = (resource: string) => (stored: Execution.Execution) => ({ ...stored, resource })
      assert.isTrue(Option.isNone(yield* modify("id-42", named("PO-2"), other)))
      assert.isTrue(Option.isSome(yield* modify("id-42", named("PO-1"), owner)))
      const stored = yield* Effect.flatten(read("id-42"))
      assert.deepInclude(stored, { resource: "PO-1", runner: owner, payload: execution(1).payload })
    })
  )

  it.scoped("returns the first execution under an id", () =>
    Effect.gen(function* () {
      const { find, insert } = yield* make
      const first = execution(undefined)
      assert.isTrue(Option.isNone(yield* insert(first)))
      const earlier = yield* Effect.flatten(insert({ ...first, payload: "{}" }))
      assert.strictEqual(earlier.payload, first.payload)
      assert.isTrue(Option.isSome(yield* find(first)))
      assert.isTrue(Option.isNone(yield* find({ ...first, workflow: "Shop/Other/1" })))
    })
  )

  it.scoped("keeps a signal, unless the execution was purged", () =>
    Effect.gen(function* () {
      const { insert, modify, signal, steps } = yield* make
      yield* insert(execution(undefined))
      const sent = { name: "deferred/early", exit: "{}", storedMillis: 1 }
      yield* signal("id-42", sent)
      yield* signal("id-43", sent)
      yield* signal("id-42", { ...sent, exit: "late" })
      assert.deepStrictEqual(yield* steps("id-42"), [sent])
      assert.deepStrictEqual(yield* steps("id-43"), [sent])
      yield* modify("id-42", transitions.purged)
      yield* signal("id-42", { ...sent, name: "deferred/late" })
      assert.deepStrictEqual(yield* steps("id-42"), [sent])
    })
  )

  it.scoped("gives a runner what is due, has not ended, and has no owner", () =>
    Effect.gen(function* () {
      const { insert, runners, take } = yield* make
      const owner = yield* runners.join
      const other = yield* runners.join
      const due = execution(undefined, "due")
      yield* insert(due)
      yield* insert({ ...execution(undefined, "first"), dueMillis: 0 })
      yield* insert(execution(other, "owned"))
      yield* insert({ ...execution(undefined, "late"), dueMillis: 9 })
      yield* insert({ ...execution(undefined, "other"), workflow: "Shop/Other/1" })
      const end = { state: "Succeeded", atMillis: 2 } as const
      yield* insert({ ...execution(undefined, "ended"), end })
      const taken = (runner: number) =>
        Effect.map(take(runner, [due.workflow], 5, 1), ({ taken }) =>
          taken.map(({ executionId, runner }) => [executionId, runner])
        )
      // One that was taken for dead gets nothing.
      assert.deepStrictEqual(yield* taken(99), [])
      assert.deepStrictEqual(yield* taken(owner), [["id-first", owner]])
      assert.deepStrictEqual(yield* taken(owner), [["id-due", owner]])
      assert.deepStrictEqual(yield* taken(other), [])
    })
  )

  it.scoped("takes no execution away from a runner that is given it during a change", () =>
    Effect.gen(function* () {
      const { insert, modify, read, runners, take } = yield* make
      const runner = yield* runners.join
      const waiting = { ...execution(undefined), pause: "signal" }
      yield* insert(waiting)
      const change = modify("id-42", transitions.interrupted)
      yield* Effect.all([change, take(runner, [waiting.workflow], 5, 1)], { concurrency: 2 })
      const stored = yield* Effect.flatten(read("id-42"))
      assert.deepInclude(stored, { runner, isCancelRequested: true, pause: undefined })
    })
  )

  it.scoped("selects executions by name, state and age", () =>
    Effect.gen(function* () {
      const { insert, list, open } = yield* make
      const idOf = ({ executionId }: Execution.Execution) => executionId
      const runs = execution(undefined, "runs")
      const waits = { ...execution(undefined, "waits"), startedMillis: 2, pause: "signal" }
      const ended = (id: string, state: Execution.EndState, atMillis: number) => ({
        ...execution(undefined, id),
        startedMillis: atMillis - 1,
        end: { state, atMillis }
      })
      const succeeded = ended("succeeded", "Succeeded", 4)
      const purged = transitions.purged(ended("purged", "Died", 5))
      for (const one of [runs, waits, succeeded, purged]) yield* insert(one)
      for (const [filter, selected] of [
        [{}, [runs, waits, succeeded, purged]],
        [{ workflow: "Shop/Other/1" }, []],
        [{ businessKey: "order-waits" }, [waits]],
        [{ states: [] }, []],
        [{ states: ["Running", "Died"] }, [runs, purged]],
        [{ states: ["Waiting", "Succeeded"] }, [waits, succeeded]],
        [{ startedBeforeMillis: 2 }, [runs]],
        [{ endedBeforeMillis: 5 }, [succeeded]],
        [{ isPurged: true }, [purged]],
        [{ isPurged: false, endedBeforeMillis: 9 }, [succeeded]]
      ] as ReadonlyArray<readonly [Store.Filter, ReadonlyArray<Execution.Execution>]>) {
        const listed = yield* list(filter, undefined, 10)
        assert.deepStrictEqual(listed.map(idOf), selected.map(idOf))
      }
      const counts = { running: 1, waiting: 1, oldestMillis: 1 }
      assert.deepInclude((yield* open).get(runs.workflow), counts)
    })
  )

  it.scoped("lists executions with one key in pages, each of them once", () =>
    Effect.gen(function* () {
      const { insert, list } = yield* make
      const ids = ["id-1", "id-2", "id-3"]
      for (const executionId of ids) yield* insert({ ...execution(undefined), executionId })
      let after: Execution.Execution | undefined
      for (const executionId of ids) {
        after = (yield* list({}, after, 1))[0]
        assert.strictEqual(after?.executionId, executionId)
      }
      assert.deepStrictEqual(yield* list({}, after, 1), [])
    })
  )
})

it.scoped("two processes on one file lose no change", () =>
  Effect.gen(function* () {
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
)

it.scoped("a runner loses what it has when it is silent, or its process has ended", () =>
  Effect.gen(function* () {
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
      [13, here, process.pid, 1, now]
    ] as const
    for (const [id, place, pid, born, beat] of processes) {
      yield* sql`INSERT INTO manilla_runners ${sql.insert({ id, place, pid, born, beat })}`
    }
    const all = [silent, beating, reaper, 11, 12, 13]
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
)
