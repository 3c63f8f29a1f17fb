/** A database of SQLite as a file. */
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe } from "@effect/vitest"
import * as Files from "@manilla/test-support/Files"
import * as Test from "@manilla/test-support/Test"
import * as Sqlite from "@manilla/workflow-engine/sqlite"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Layer from "effect/Layer"
import { linkSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as database from "../src/internal/sql/database.js"

describe("a database", () => {
  Test.live("is for its owner only, with the files beside it", function* () {
    const path = yield* Files.database
    const mask = process.umask(0)
    yield* Effect.addFinalizer(() => Effect.sync(() => process.umask(mask)))
    yield* Layer.build(Sqlite.layerSqlite({ file: path }))
    for (const beside of ["", "-shm", "-wal"]) {
      assert.strictEqual(statSync(path + beside).mode & 0o777, 0o600, beside)
    }
  })

  Test.live("that cannot be opened is a typed error", function* () {
    const path = join(yield* Files.database, "no", "such", "folder.db")
    const error = yield* Effect.flip(Layer.build(Sqlite.layerSqlite({ file: path })))
    assert.strictEqual(error._tag, "DatabaseUnavailable")
    assert.propertyVal(error, "database", path)
    assert.include(error.message, `${path}: the database cannot be used (`)
  })

  Test.live("is used under one name", function* () {
    const path = yield* Files.database
    yield* Layer.build(Sqlite.layerSqlite({ file: path }))
    linkSync(path, `${path}.hard`)
    const error = yield* Effect.flip(Layer.build(Sqlite.layerSqlite({ file: `${path}.hard` })))
    assert.include(error.message, "it has 2 names (hard links): keep one")
  })

  for (const [what, change] of [
    ["removed", constVoid],
    ["replaced", (path: string) => writeFileSync(path, "")]
  ] as const) {
    Test.live(`whose file was ${what} takes and tells nothing until that is undone`, function* () {
      const path = yield* Files.database
      const sql = Context.get(yield* Layer.build(database.layer(path)), SqlClient.SqlClient)
      // In other modes, SQLite itself refuses changes then.
      yield* sql`PRAGMA journal_mode = WAL`
      yield* sql`CREATE TABLE rows (id INTEGER)`
      renameSync(path, `${path}.old`)
      change(path)
      for (const statement of [sql`INSERT INTO rows VALUES (1)`, sql`SELECT id FROM rows`]) {
        const { cause } = yield* Effect.flip(statement)
        assert.include(String(cause), "the file was removed or replaced")
      }
      renameSync(`${path}.old`, path)
      yield* sql`INSERT INTO rows VALUES (1)`
    })
  }

  Test.live("that was locked takes changes as soon as it is free", function* () {
    const path = yield* Files.database
    const open = Effect.map(Layer.build(database.layer(path)), (context) =>
      Context.get(context, SqlClient.SqlClient)
    )
    const sql = yield* open
    const other = yield* open
    yield* sql`CREATE TABLE rows (id INTEGER)`
    const insert = sql`INSERT INTO rows VALUES (1)`
    yield* other`BEGIN IMMEDIATE`
    const { cause } = yield* Effect.flip(insert)
    assert.include(String(cause), "SQLITE_BUSY")
    yield* other`COMMIT`
    yield* insert
    assert.lengthOf(yield* sql`SELECT id FROM rows`, 1)
  })
})
