/** The tables of batches in memory and on SQLite. */
import { assert, describe, it } from "@effect/vitest"
import * as Files from "@manilla/test-support/Files"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as memoryBatches from "../src/internal/memoryBatches.js"
import * as database from "../src/internal/sql/database.js"
import * as migrations from "../src/internal/sql/migrations.js"
import * as sqlBatches from "../src/internal/sql/sqlBatches.js"
import * as batches from "./utils/batches.js"

describe("the table of batches in memory", () => batches.test(memoryBatches.make, it.scoped))

const onSqlite = Effect.gen(function* () {
  const context = yield* Layer.build(database.layer(yield* Files.database))
  return yield* Effect.provide(
    Effect.zipRight(migrations.migrate("test"), sqlBatches.make),
    context
  )
})

describe("the table of batches on SQLite", () => {
  batches.test(onSqlite, it.scoped)

  Test.effect("lets timers and responses of the process pass between two statements", function* () {
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
})
