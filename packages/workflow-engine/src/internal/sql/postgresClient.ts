import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Socket } from "node:net"
import * as Pg from "pg"

export interface Options {
  readonly url: Redacted.Redacted
  readonly databaseTimeout: Duration.DurationInput
}

/** Each integer of 64 bits fits into a number, as on SQLite: it is a time, a count or a number of a runner. */
const types = new Pg.TypeOverrides()
types.setTypeParser(Pg.types.builtins.INT8, Number)

/** After this time without traffic, the operating system asks whether the other end still exists. */
const keepAliveMillis = 10_000

/**
 * A socket that fails when nothing has passed for a while. The driver's own timeout of a statement leaves
 * the connection in the pool, where the next statement waits for the same silence.
 */
const attentive = (limitMillis: number) => (): Socket => {
  const socket = new Socket()
  socket.setKeepAlive(true, keepAliveMillis)
  socket.setTimeout(limitMillis, () =>
    socket.destroy(new Error(`the database was silent for ${limitMillis / 1_000} s`))
  )
  return socket
}

type OnConnection = (
  error: Error | undefined,
  client: Pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void
) => void

/**
 * A pool that hands out a connection in a microtask. An interrupted statement that was waiting for one
 * returns it at once. If the pool then called the next waiting statement directly, some thousands of
 * interrupted ones, as when a runner is taken for dead, would overflow the stack.
 */
class Pool extends Pg.Pool {
  override connect(): Promise<Pg.PoolClient>
  override connect(onConnection: OnConnection): void
  override connect(onConnection?: OnConnection): Promise<Pg.PoolClient> | void {
    if (onConnection === undefined) return super.connect()
    super.connect((error, client, release) => {
      // Nobody else listens yet. A connection that fails now is closed by the pool when it is released.
      client?.on("error", constVoid)
      queueMicrotask(() => {
        client?.off("error", constVoid)
        onConnection(error, client, release)
      })
    })
  }
}

/**
 * The database over a pool of at most `maxConnections`. Statements fail instead of waiting for a silent server
 * forever. The server does not wait for a silent client either: it ends its statement and its transaction,
 * whose locks would hold up everybody else for hours, until the network reports that the client is gone.
 */
export const layer = (
  { databaseTimeout, url }: Options,
  maxConnections: number
): Layer.Layer<SqlClient.SqlClient, SqlError> => {
  const limitMillis = Duration.toMillis(databaseTimeout)
  const acquire = Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new Pool({
        connectionString: Redacted.value(url),
        application_name: "manilla-workflows",
        max: maxConnections,
        connectionTimeoutMillis: limitMillis,
        // Idle connections are closed long before they time out, so that no statement is sent on one that does.
        idleTimeoutMillis: limitMillis / 3,
        types,
        stream: attentive(limitMillis),
        statement_timeout: limitMillis,
        idle_in_transaction_session_timeout: limitMillis
      })
      // The pool replaces an idle connection that fails.
      return pool.on("error", constVoid)
    }),
    (pool) =>
      Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("1 second"))
  )
  return Layer.map(PgClient.layerFromPool({ acquire }), (context) => {
    const client = Context.get(context, SqlClient.SqlClient)
    // The driver loses a connection that arrives after its acquisition was interrupted.
    const reserve = Effect.uninterruptible(client.reserve)
    return Context.make(SqlClient.SqlClient, Object.assign(client, { reserve }))
  })
}
