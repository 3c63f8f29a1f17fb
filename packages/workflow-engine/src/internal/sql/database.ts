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
import { closeSync, openSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { nextTurn } from "./grouped.js"

/**
 * A client for an SQLite file that uses one connection, for one statement at a time. With `LibsqlClient.layer`, a
 * statement that has met the lock of another process spoils all that follow.
 */
export const layer = (file: string): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.scoped(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const path = resolve(file)
      const connection = yield* connect(path)
      const inode = inodeOf(path)
      const turns = yield* Effect.makeSemaphore(1)
      return yield* SqlClient.make({
        acquirer: Effect.as(
          // A series of statements, such as those that store a batch, must hold up no timer and no response.
          Effect.zipRight(
            nextTurn,
            Effect.acquireRelease(turns.take(1), () => turns.release(1))
          ).pipe(Effect.filterOrFail(() => inodeOf(path) === inode, replaced)),
          connection
        ),
        compiler: Statement.makeCompilerSqlite(),
        // A transaction that reads first would fail at its first change, if another process has made one meanwhile.
        beginTransaction: "BEGIN IMMEDIATE",
        spanAttributes: []
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))

/** Identifies the file of a path. Undefined if there is none. */
const inodeOf = (path: string): bigint | undefined => {
  try {
    return statSync(path, { bigint: true }).ino
  } catch {
    return undefined
  }
}

/** SQLite would go on with the file that it has opened, and its changes would end with the process. */
const replaced = () =>
  new SqlError({
    cause: new Error("the file was removed or replaced: put it back, or restart this process"),
    message: "Failed to use the database"
  })

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
    const libsql = yield* LibsqlClient.make({ url: pathToFileURL(file).href }).pipe(
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
 */
const connect = (file: string) =>
  Effect.gen(function* () {
    const opened = Effect.provide(open(file), Reactivity.layer)
    const current = yield* ScopedRef.fromAcquire(opened)
    const run = <A>(use: (connection: Connection) => Effect.Effect<A, SqlError>) =>
      Effect.tapError(Effect.flatMap(ScopedRef.get(current), use), (error) =>
        isSpoilt(error) ? Effect.ignore(ScopedRef.set(current, opened)) : Effect.void
      )
    const connection: Connection = {
      execute: (...args) => run((to) => to.execute(...args)),
      executeRaw: (...args) => run((to) => to.executeRaw(...args)),
      executeValues: (...args) => run((to) => to.executeValues(...args)),
      executeUnprepared: (...args) => run((to) => to.executeUnprepared(...args)),
      executeStream: (...args) =>
        Stream.unwrap(Effect.map(ScopedRef.get(current), (to) => to.executeStream(...args)))
    }
    return connection
  })
