/** The store of executions, in memory and on SQLite. */
import { assert, describe, it } from "@effect/vitest"
import type * as Execution from "@manilla/workflows/Execution"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as memoryStore from "../src/internal/engine/memoryStore.js"
import * as database from "../src/internal/sql/database.js"
import * as runners from "../src/internal/sql/runners.js"
import * as sqlEngine from "../src/internal/sql/sqlEngine.js"
import * as sqlStore from "../src/internal/sql/sqlStore.js"
import * as files from "./utils/files.js"

const onSqlite = Effect.gen(function* () {
  const context = yield* Layer.build(database.layer(yield* files.database))
  return yield* Effect.gen(function* () {
    yield* sqlEngine.createTables("test")
    return yield* sqlStore.make(yield* runners.make("15 seconds"))
  }).pipe(Effect.provide(context))
})

const execution = (runner: number): Execution.Execution => ({
  workflow: "Shop/Test/1",
  businessKey: "order-42",
  executionId: "id-42",
  payload: '{"key":"order-42"}',
  parent: undefined,
  startedMillis: 1,
  runner,
  dueMillis: 1,
  pause: undefined,
  clocks: {},
  wakes: 0,
  resource: undefined,
  isCancelRequested: false,
  end: undefined,
  exit: undefined,
  isPurged: false
})

const stores = { memory: memoryStore.make, SQLite: onSqlite }

describe.each(Object.entries(stores))("the store in %s", (_, make) => {
  it.scoped("keeps the first result of a step, and none of a runner that does not own it", () =>
    Effect.gen(function* () {
      const { insert, keep, modify, runners, steps } = yield* make
      const owner = yield* runners.join
      const other = yield* runners.join
      yield* insert(execution(owner))
      const result = (exit: string) => ({ name: "pay/1", exit, storedMillis: 2 })
      const kept = { exit: "first", isCancelRequested: false }
      assert.deepStrictEqual(yield* Effect.flatten(keep("id-42", owner, result("first"))), kept)
      assert.deepStrictEqual(yield* Effect.flatten(keep("id-42", owner, result("second"))), kept)
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
})
