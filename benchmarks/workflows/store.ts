// The size and the work of a database, as far as it and the system tell.
import type * as Reactivity from "@effect/experimental/Reactivity"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { existsSync, readFileSync, statSync } from "node:fs"
import { pathToFileURL } from "node:url"
import type { Task } from "./Measured.js"

/** What a database does not tell is NaN. */
const unknown = { bytes: NaN, transactions: NaN, rows: NaN, walBytes: NaN, cpuMillis: NaN }

export type Counts = typeof unknown

export const between = (before: Counts, after: Counts): Counts => ({
  bytes: after.bytes - before.bytes,
  transactions: after.transactions - before.transactions,
  rows: after.rows - before.rows,
  walBytes: after.walBytes - before.walBytes,
  cpuMillis: after.cpuMillis - before.cpuMillis
})

/** Linux counts the CPU time of a process in hundredths of a second. */
const millisPerTick = 10

/** The CPU time of a process, or zero if it has ended. */
const cpuMillisOf = (pid: number): number => {
  const file = `/proc/${pid}/stat`
  const [, rest = ""] = existsSync(file) ? readFileSync(file, "utf8").split(") ") : []
  const [userTicks = 0, systemTicks = 0] = rest.split(" ").slice(11, 13).map(Number)
  return (userTicks + systemTicks) * millisPerTick
}

type Reader = Effect.Effect<Counts, SqlError>

const sqlite = (file: string): Effect.Effect<Reader, never, Scope.Scope | Reactivity.Reactivity> =>
  Effect.map(LibsqlClient.make({ url: pathToFileURL(file).href }), (sql) =>
    // The size of the file leaves out rows that are only in the write-ahead log.
    Effect.map(sql`PRAGMA wal_checkpoint(PASSIVE)`, () => ({
      ...unknown,
      bytes: statSync(file).size
    }))
  )

const postgres = (
  url: string
): Effect.Effect<Reader, SqlError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.map(PgClient.make({ url: Redacted.make(url), maxConnections: 1 }), (sql) => {
    /** The CPU time of its processes, each until it was last seen. */
    const seen = new Map<number, number>()
    return Effect.gen(function* () {
      // A connection reports what it has done once a second.
      yield* Effect.sleep("1500 millis")
      const [row] = yield* sql<Record<"bytes" | "transactions" | "rows" | "wal", string>>`
        SELECT pg_database_size(datname) AS bytes, xact_commit AS transactions,
          tup_inserted + tup_updated + tup_deleted AS rows, pg_current_wal_lsn() - '0/0' AS wal
        FROM pg_stat_database WHERE datname = current_database()`
      const processes = yield* sql<{ readonly pid: number }>`SELECT pid FROM pg_stat_activity`
      for (const { pid } of processes) {
        seen.set(pid, Math.max(seen.get(pid) ?? 0, cpuMillisOf(pid)))
      }
      const cpuMillis = existsSync("/proc/self/stat")
        ? [...seen.values()].reduce((sum, one) => sum + one, 0)
        : NaN
      return {
        bytes: Number(row?.bytes),
        transactions: Number(row?.transactions),
        rows: Number(row?.rows),
        walBytes: Number(row?.wal),
        cpuMillis
      }
    })
  })

/** Reads the counts of the database of an engine. */
export const readerOf = ({
  engine,
  file,
  url
}: Pick<Task, "engine" | "file" | "url">): Effect.Effect<
  Reader,
  SqlError,
  Scope.Scope | Reactivity.Reactivity
> => {
  switch (engine) {
    case "memory":
      return Effect.succeed(Effect.succeed(unknown))
    case "sqlite":
      return sqlite(file)
    case "postgres":
      return postgres(url)
  }
}
