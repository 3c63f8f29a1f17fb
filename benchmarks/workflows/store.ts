// The size and the work of a database, as far as it and the system tell.
import type * as Reactivity from "@effect/experimental/Reactivity"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { readFileSync, statSync } from "node:fs"
import { pathToFileURL } from "node:url"
import type { Engine } from "./Measured.js"

export interface Counts {
  readonly bytes?: number
  readonly transactions?: number
  readonly rows?: number
  readonly walBytes?: number
  readonly cpuMillis?: number
}

/** Linux counts the CPU time of a process in hundredths of a second. */
const millisPerTick = 10

const statOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
  } catch {
    // The process has ended, or this is not Linux.
    return ""
  }
}

/** The CPU time of another process, or `undefined` if it cannot be read. */
const cpuMillisOf = (pid: number, name: RegExp): number | undefined => {
  const [, command = "", rest = ""] = /^\d+ \((.*)\) (.*)$/s.exec(statOf(pid)) ?? []
  const [userTicks = NaN, systemTicks = NaN] = rest.split(" ").slice(11, 13).map(Number)
  return command !== "" && name.test(command)
    ? (userTicks + systemTicks) * millisPerTick
    : undefined
}

/** Adds up the CPU time of processes, each until it was last seen. */
export const cpuMeter = (name: RegExp) => {
  const seen = new Map<number, number>()
  return (pids: ReadonlyArray<number>): number | undefined => {
    for (const pid of pids) {
      const millis = cpuMillisOf(pid, name)
      if (millis !== undefined) seen.set(pid, millis)
    }
    const all = [...seen.values()]
    return all.length === 0 && pids.length > 0 ? undefined : all.reduce((sum, one) => sum + one, 0)
  }
}

type Reader = Effect.Effect<Counts, SqlError>

const sqlite = (file: string): Effect.Effect<Reader, never, Scope.Scope | Reactivity.Reactivity> =>
  Effect.map(LibsqlClient.make({ url: pathToFileURL(file).href }), (sql) =>
    // The size of the file leaves out rows that are only in the write-ahead log.
    Effect.map(sql`PRAGMA wal_checkpoint(PASSIVE)`, () => ({ bytes: statSync(file).size }))
  )

const postgres = (
  url: string
): Effect.Effect<Reader, SqlError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.map(PgClient.make({ url: Redacted.make(url), maxConnections: 1 }), (sql) => {
    const cpuMillisOfAll = cpuMeter(/postgres/)
    return Effect.gen(function* () {
      // A connection reports what it has done once a second.
      yield* Effect.sleep("1500 millis")
      const [row] = yield* sql<Record<"bytes" | "transactions" | "rows" | "wal", string>>`
        SELECT pg_database_size(datname) AS bytes, xact_commit AS transactions,
          tup_inserted + tup_updated + tup_deleted AS rows, pg_current_wal_lsn() - '0/0' AS wal
        FROM pg_stat_database WHERE datname = current_database()`
      const processes = yield* sql<{ readonly pid: number }>`SELECT pid FROM pg_stat_activity`
      const cpuMillis = cpuMillisOfAll(processes.map(({ pid }) => pid))
      return {
        bytes: Number(row?.bytes),
        transactions: Number(row?.transactions),
        rows: Number(row?.rows),
        walBytes: Number(row?.wal),
        ...(cpuMillis === undefined ? {} : { cpuMillis })
      }
    })
  })

/** Reads the counts of the database of an engine. */
export const readerOf = ({
  engine,
  file,
  url
}: {
  readonly engine: Engine
  readonly file: string
  readonly url: string
}): Effect.Effect<Reader, SqlError, Scope.Scope | Reactivity.Reactivity> => {
  switch (engine) {
    case "memory":
      return Effect.succeed(Effect.succeed({}))
    case "sqlite":
      return sqlite(file)
    default:
      return postgres(url)
  }
}
