import * as Reactivity from "@effect/experimental/Reactivity"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
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
      const connection = withSafeTransactions(yield* libsql.reserve)
      // A statement that waits for another process's lock blocks the event loop: retry later instead.
      yield* connection.executeRaw("PRAGMA busy_timeout = 100", [])
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
        commit,
        rollback,
        spanAttributes: []
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))

const commit = "COMMIT"
const rollback = "ROLLBACK"

/**
 * `SqlClient` rolls back a transaction that did not begin, because the database is locked, and dies when
 * that fails. It leaves a transaction open whose commit failed.
 */
const withSafeTransactions = (connection: Connection): Connection => ({
  execute: (...args) => connection.execute(...args),
  executeRaw: (...args) => connection.executeRaw(...args),
  executeStream: (...args) => connection.executeStream(...args),
  executeValues: (...args) => connection.executeValues(...args),
  executeUnprepared: (sql, params, transform) => {
    const run = connection.executeUnprepared(sql, params, transform)
    switch (sql) {
      case commit:
        return Effect.tapError(run, () =>
          Effect.ignore(connection.executeUnprepared(rollback, [], undefined))
        )
      case rollback:
        return Effect.catchIf(
          run,
          ({ cause }) => String(cause).includes("no transaction is active"),
          () => Effect.succeed([])
        )
      default:
        return run
    }
  }
})
