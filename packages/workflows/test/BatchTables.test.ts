/** The tables of batches in memory and on SQLite. */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as memoryTable from "../src/internal/batch/memoryTable.js"
import * as database from "../src/internal/sql/database.js"
import * as batchTable from "../src/internal/sql/batchTable.js"
import * as batchTables from "./utils/batchTables.js"
import * as files from "./utils/files.js"

describe("the table of batches in memory", () => batchTables.test(memoryTable.make, it.scoped))

describe("the table of batches on SQLite", () =>
  batchTables.test(
    Effect.gen(function* () {
      const context = yield* Layer.build(database.layer(yield* files.database))
      return yield* Effect.provide(
        Effect.zipRight(batchTable.createTables, batchTable.make),
        context
      )
    }),
    it.scoped
  ))
