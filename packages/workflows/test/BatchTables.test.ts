/** The tables of batches in memory and on SQLite. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as memoryTable from "../src/internal/batch/memoryTable.js"
import * as database from "../src/internal/sql/database.js"
import * as batchTable from "../src/internal/sql/batchTable.js"
import * as batchTables from "./utils/batchTables.js"
import * as files from "./utils/files.js"

describe("the table of batches in memory", () => batchTables.test(memoryTable.make, it.scoped))

const onSqlite = Effect.gen(function* () {
  const context = yield* Layer.build(database.layer(yield* files.database))
  return yield* Effect.provide(Effect.zipRight(batchTable.createTables, batchTable.make), context)
})

describe("the table of batches on SQLite", () => {
  batchTables.test(onSqlite, it.scoped)

  it.scoped("lets timers and responses of the process pass between two statements", () =>
    Effect.gen(function* () {
      const table = yield* onSqlite
      let turns = 0
      const turn = (): NodeJS.Immediate =>
        setImmediate(() => {
          turns++
          last = turn()
        })
      let last = turn()
      yield* Effect.addFinalizer(() => Effect.sync(() => clearImmediate(last)))
      yield* Effect.repeatN(table.find("b"), 19)
      assert.isAtLeast(turns, 19)
    })
  )
})
