import * as Reactivity from "@effect/experimental/Reactivity"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

/**
 * A client for an SQLite file that uses one connection, for one statement or transaction at a time.
 *
 * `LibsqlClient.layer` opens another connection for each transaction and never closes it. A statement
 * beside a transaction then fails, because the database is locked.
 */
export const layer = (file: string): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.scoped(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const libsql = yield* LibsqlClient.make({
        url: pathToFileURL(resolve(file)).href,
        // The engine's ids do not fit into a number.
        intMode: "bigint"
      }).pipe(
        // The driver throws when it cannot open the file.
        Effect.catchAllDefect((cause) =>
          Effect.fail(new SqlError({ cause, message: "Failed to open the database" }))
        )
      )
      const connection = yield* libsql.reserve
      const turns = yield* Effect.makeSemaphore(1)
      const inTurn = Effect.as(
        Effect.acquireRelease(turns.take(1), () => turns.release(1)),
        connection
      )
      return yield* SqlClient.make({
        acquirer: inTurn,
        transactionAcquirer: inTurn,
        compiler: Statement.makeCompilerSqlite(),
        beginTransaction: "BEGIN IMMEDIATE",
        spanAttributes: []
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))
