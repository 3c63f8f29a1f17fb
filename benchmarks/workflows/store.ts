// The size and the work of a database, read from outside of the measured process.
import type * as Reactivity from "@effect/experimental/Reactivity"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { readdirSync, readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import type { Places, Program } from "./programs.js"

/** What a database does not tell is NaN. */
export interface Reading {
  readonly bytes: number
  readonly walBytes: number
  /** CPU time of the server with all its processes, also those that have ended. */
  readonly cpuMillis: number
}

const nothing: Reading = { bytes: NaN, walBytes: NaN, cpuMillis: NaN }

export const between = (before: Reading, after: Reading): Reading => ({
  bytes: after.bytes - before.bytes,
  walBytes: after.walBytes - before.walBytes,
  cpuMillis: after.cpuMillis - before.cpuMillis
})

/** Linux counts the CPU time of a process in hundredths of a second. */
const millisPerTick = 10

/** The parent of a process, its CPU time, and that of its children that have ended. */
const statOf = (pid: number | string) => {
  try {
    const [, text = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")
    const fields = text.split(" ").map(Number)
    const millis = (from: number, to: number) =>
      fields.slice(from, to).reduce((sum, ticks) => sum + ticks * millisPerTick, 0)
    return { parent: fields[1], ownMillis: millis(11, 13), endedMillis: millis(13, 15) }
  } catch {
    return { parent: undefined, ownMillis: NaN, endedMillis: NaN }
  }
}

const cpuMillisOf = (backend: number): number => {
  const { parent: server } = statOf(backend)
  if (server === undefined) return NaN
  const { endedMillis, ownMillis } = statOf(server)
  return readdirSync("/proc")
    .map(statOf)
    .filter(({ parent }) => parent === server)
    .reduce((sum, child) => sum + child.ownMillis, ownMillis + endedMillis)
}

type Reader = Effect.Effect<Reading, SqlError>

const sqlite = (file: string) =>
  Effect.map(LibsqlClient.make({ url: pathToFileURL(file).href }), (sql): Reader =>
    // It counts pages that are only in the write-ahead log, too.
    Effect.map(
      sql`SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()`,
      ([row]) => ({ ...nothing, bytes: Number(row?.["bytes"]) })
    )
  )

const postgres = (url: string) =>
  Effect.map(PgClient.make({ url: Redacted.make(url), maxConnections: 1 }), (sql): Reader =>
    Effect.map(
      sql`SELECT pg_database_size(current_database()) AS bytes, pg_backend_pid() AS pid,
          pg_current_wal_lsn() - '0/0' AS wal`,
      ([row]) => ({
        bytes: Number(row?.["bytes"]),
        walBytes: Number(row?.["wal"]),
        cpuMillis: cpuMillisOf(Number(row?.["pid"]))
      })
    )
  )

/** Reads the database of a program. */
export const readerOf = (
  kind: Program["store"],
  { file, url }: Places,
  pid = 0
): Effect.Effect<Reader, SqlError, Reactivity.Reactivity | Scope.Scope> => {
  switch (kind) {
    case "none":
      return Effect.succeed(Effect.succeed(nothing))
    case "sqlite":
      return sqlite(file)
    case "postgres":
      return postgres(url)
    case "restate":
      return Effect.succeed(Effect.sync(() => ({ ...nothing, cpuMillis: statOf(pid).ownMillis })))
  }
}
