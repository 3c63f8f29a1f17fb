/** Stores of executions on SQLite. */
import * as Files from "@manilla/test-support/Files"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as database from "../../src/internal/sql/database.js"
import * as migrations from "../../src/internal/sql/migrations.js"
import * as runners from "../../src/internal/sql/runners.js"
import * as sqlStore from "../../src/internal/sql/sqlStore.js"

/** The store of a file. */
export const onFile = (file: string) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(database.layer(file))
    return yield* Effect.gen(function* () {
      yield* migrations.migrate("test")
      return yield* sqlStore.make(yield* runners.make("15 seconds"))
    }).pipe(Effect.provide(context))
  })

/** An empty store. */
export const onSqlite = Effect.flatMap(Files.database, onFile)
