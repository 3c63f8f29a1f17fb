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
import { LockLost } from "./lockLost.js"
import { closeSync, openSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

/** What each transaction of a client checks first. */
export interface Fence {
  /** The epoch in which this process owns the database. Undefined: nothing is checked. */
  epoch: number | undefined
}

const overtaken = new LockLost({
  message:
    "another process has taken over the database, and this one changes nothing any more: end it"
})

/**
 * A client for an SQLite file that uses one connection, for one statement or transaction at a time.
 *
 * `LibsqlClient.layer` opens another connection for each transaction and never closes it. A statement
 * beside a transaction then fails, because the database is locked.
 */
export const layer = (
  file: string,
  fence: Fence = { epoch: undefined }
): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.scoped(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const connection = yield* connect(file, fence)
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

/** Only the owner of the file may read it. SQLite gives the files beside it the same permissions. */
const create = (file: string) =>
  Effect.try({
    try: () => closeSync(openSync(file, "a", 0o600)),
    catch: (cause) => new SqlError({ cause, message: "Failed to create the database" })
  })

/** Fails if the file has another name: SQLite would keep a write-ahead log for each name, and lose one. */
export const checkName = (file: string) =>
  Effect.try({
    try: () => statSync(file).nlink,
    catch: (cause) => new SqlError({ cause, message: "Failed to read the database" })
  }).pipe(
    Effect.filterOrFail(
      (names) => names === 1,
      (names) => new SqlError({ cause: new Error(`it has ${names} names (hard links): keep one`) })
    )
  )

const open = (file: string) =>
  Effect.gen(function* () {
    yield* create(file)
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

const isRead = (sql: string): boolean => /^\s*(SELECT|PRAGMA)/i.test(sql)

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
const connect = (file: string, fence: Fence) =>
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

    /** Another process may have taken the database over since the last transaction. */
    const stillOwned = Effect.suspend(() =>
      fence.epoch === undefined
        ? Effect.void
        : Effect.filterOrFail(
            control("SELECT epoch FROM manilla_owner"),
            ([row]) => Number(row?.epoch) === fence.epoch,
            () => new SqlError({ cause: overtaken })
          )
    )
    const begun = control(begin).pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          isInTransaction = true
        })
      ),
      Effect.tap(() => Effect.tapError(stillOwned, () => Effect.ignore(rolledBack)))
    )
    const committed = control(commit).pipe(
      Effect.tap(ended),
      Effect.tapError(() => Effect.ignore(rolledBack))
    )

    /** A change outside a transaction is one of its own. */
    const statement = <A>(
      sql: string,
      use: (connection: Connection) => Effect.Effect<A, SqlError>
    ): Effect.Effect<A, SqlError> =>
      Effect.suspend(() =>
        isInTransaction || fence.epoch === undefined || isRead(sql)
          ? run(use)
          : Effect.uninterruptible(
              begun.pipe(
                Effect.zipRight(Effect.tapError(run(use), () => Effect.ignore(rolledBack))),
                Effect.zipLeft(committed)
              )
            )
      )

    const connection: Connection = {
      execute: (sql, ...args) => statement(sql, (to) => to.execute(sql, ...args)),
      executeRaw: (sql, ...args) => statement(sql, (to) => to.executeRaw(sql, ...args)),
      executeStream: (...args) =>
        Stream.unwrap(Effect.map(ScopedRef.get(current), (to) => to.executeStream(...args))),
      executeValues: (sql, ...args) => statement(sql, (to) => to.executeValues(sql, ...args)),
      executeUnprepared: (sql, params, transform) => {
        switch (sql) {
          case begin:
            return begun
          case commit:
            return committed
          case rollback:
            return rolledBack
          default:
            return statement(sql, (to) => to.executeUnprepared(sql, params, transform))
        }
      }
    }
    return connection
  })
