import * as PgClient from "@effect/sql-pg/PgClient"
import * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"
import { Socket } from "node:net"

export interface Options {
  readonly url: Redacted.Redacted
  readonly databaseTimeout: Duration.DurationInput
  readonly lockExpiration: Duration.DurationInput
}

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

/** The database, whose statements fail instead of waiting for a silent server for ever. */
export const layer = ({ databaseTimeout, lockExpiration, url }: Options) => {
  // The pool closes idle connections after 10 seconds. The connection for locks rests for a third of their
  // life.
  const limit = Duration.max(databaseTimeout, Duration.times(lockExpiration, 2 / 3))
  return PgClient.layer({
    url,
    applicationName: "manilla-workflows",
    connectTimeout: databaseTimeout,
    stream: attentive(Duration.toMillis(limit))
  })
}
