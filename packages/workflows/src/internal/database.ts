import * as Reactivity from "@effect/experimental/Reactivity"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as ScopedRef from "effect/ScopedRef"
import * as Stream from "effect/Stream"
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
      const connection = yield* connect(file)
      const turns = yield* Effect.makeSemaphore(1)
      const inTurn = Effect.as(
        Effect.acquireRelease(turns.take(1), () => turns.release(1)),
        connection
      )
      return yield* SqlClient.make({
        acquirer: inTurn,
        transactionAcquirer: inTurn,
        compiler: Statement.makeCompilerSqlite(),
        beginTransaction: begin,
        commit,
        rollback,
        spanAttributes: []
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))

const begin = "BEGIN IMMEDIATE"
const commit = "COMMIT"
const rollback = "ROLLBACK"

const open = (file: string) =>
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
    // A statement that waits for another process's lock blocks the event loop: retry later instead.
    yield* connection.executeRaw("PRAGMA busy_timeout = 100", [])
    return connection
  })

const codeOf = ({ cause }: SqlError) =>
  Predicate.hasProperty(cause, "code") ? String(cause.code) : ""

/** Another connection holds the lock. */
export const isBusy = (error: SqlError): boolean => codeOf(error).startsWith("SQLITE_BUSY")

/** A statement met a lock, or the file could not be opened again after that. */
const isSpoilt = (error: SqlError) => isBusy(error) || codeOf(error) === "CLIENT_CLOSED"

/**
 * A connection that opens the file again when a statement has met a lock. The driver does not reset such a
 * statement, and SQLite refuses to commit while it is in progress: until its object is garbage, every
 * transaction fails.
 *
 * `SqlClient` rolls back a transaction that did not begin, because the database is locked, and dies when
 * that fails. It leaves a transaction open whose commit failed.
 */
const connect = (file: string) =>
  Effect.gen(function* () {
    const opened = Effect.provideService(
      open(file),
      Reactivity.Reactivity,
      yield* Reactivity.Reactivity
    )
    const current = yield* ScopedRef.fromAcquire(opened)
    let isInTransaction = false

    const run = <A>(use: (connection: Connection) => Effect.Effect<A, SqlError>) =>
      Effect.tapError(Effect.flatMap(ScopedRef.get(current), use), (error) =>
        isSpoilt(error) && !isInTransaction
          ? Effect.ignore(ScopedRef.set(current, opened))
          : Effect.void
      )
    const control = (sql: string) =>
      run((connection) => connection.executeUnprepared(sql, [], undefined))
    const ended = Effect.sync(() => {
      isInTransaction = false
    })
    const rolledBack = control(rollback).pipe(
      Effect.catchIf(
        ({ cause }) => String(cause).includes("no transaction is active"),
        () => Effect.succeed([])
      ),
      Effect.tap(ended)
    )

    const connection: Connection = {
      execute: (...args) => run((to) => to.execute(...args)),
      executeRaw: (...args) => run((to) => to.executeRaw(...args)),
      executeStream: (...args) =>
        Stream.unwrap(Effect.map(ScopedRef.get(current), (to) => to.executeStream(...args))),
      executeValues: (...args) => run((to) => to.executeValues(...args)),
      executeUnprepared: (sql, params, transform) => {
        switch (sql) {
          case begin:
            return Effect.tap(control(begin), () =>
              Effect.sync(() => {
                isInTransaction = true
              })
            )
          case commit:
            return control(commit).pipe(
              Effect.tap(ended),
              Effect.tapError(() => Effect.ignore(rolledBack))
            )
          case rollback:
            return rolledBack
          default:
            return run((to) => to.executeUnprepared(sql, params, transform))
        }
      }
    }
    return connection
  })
