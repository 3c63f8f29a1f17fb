import * as SqlClient from "@effect/sql/SqlClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { performance } from "node:perf_hooks"
import type * as engineStore from "../engineStore.js"
import { failed } from "./failed.js"

/** Where process ids have one meaning: a boot of a machine, or a container on it. Elsewhere, only this process. */
export const place = (): string => {
  if (process.platform !== "linux") return `${hostname()} ${born}`
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    return `${hostname()} ${boot} ${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    return `${hostname()} ${born}`
  }
}

/** Distinguishes this process from an earlier one with the same id. */
const born = Math.round(performance.timeOrigin)

interface Row {
  readonly id: number
  readonly place: string
  readonly pid: number
  readonly born: number
  /** How long ago it has shown that it lives. */
  readonly silence: number
}

/** Whether the process has certainly ended. One of another place may live. */
const isGone = (row: Row): boolean => {
  if (row.place !== place()) return false
  if (row.pid === process.pid) return row.born !== born
  try {
    process.kill(row.pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH"
  }
}

const name = "manilla_runners"

export const createTable = Effect.flatMap(SqlClient.SqlClient, (sql) => {
  const id = sql.onDialectOrElse({
    sqlite: () => "INTEGER PRIMARY KEY AUTOINCREMENT",
    orElse: () => "BIGSERIAL PRIMARY KEY"
  })
  return sql`
    CREATE TABLE IF NOT EXISTS ${sql(name)} (
      id ${sql.literal(id)}, place TEXT NOT NULL, pid BIGINT NOT NULL, born BIGINT NOT NULL,
      beat BIGINT NOT NULL
    )`
})

/**
 * The runners of an SQLite or PostgreSQL database, which have a table. One that is silent for some time has died,
 * and so has one whose process is gone. The time is the database's.
 */
export const make = (expiration: Duration.DurationInput) =>
  Effect.map(SqlClient.SqlClient, (sql): engineStore.Runners => {
    const table = sql(name)
    const executions = sql("manilla_executions")
    const now = sql.literal(
      sql.onDialectOrElse({
        sqlite: () => "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
        orElse: () => "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
      })
    )
    const isDead = (row: Row) => row.silence > Duration.toMillis(expiration) || isGone(row)
    const all = sql<Row>`SELECT id, place, pid, born, ${now} - beat AS silence FROM ${table}`

    /** Frees the executions of runners that are no longer listed. */
    const free = sql`
      UPDATE ${executions} SET runner = NULL, due_millis = 0, revision = revision + 1
      WHERE runner IS NOT NULL AND runner NOT IN (SELECT id FROM ${table})`

    return {
      join: sql<Pick<Row, "id">>`
        INSERT INTO ${table} (place, pid, born, beat)
        SELECT ${place()}, ${sql.literal(String(process.pid))}, ${sql.literal(String(born))}, ${now}
        RETURNING id`.pipe(
        Effect.map(([row]) => row?.id ?? NaN),
        failed("register a runner")
      ),
      beat: (runner) =>
        sql`UPDATE ${table} SET beat = ${now} WHERE id = ${runner} RETURNING id`.pipe(
          Effect.map((rows) => rows.length > 0),
          failed("show that a runner lives")
        ),
      reap: (runner) =>
        Effect.gen(function* () {
          const dead = (yield* all).filter((row) => row.id !== runner && isDead(row))
          yield* Effect.forEach(dead, ({ id }) => sql`DELETE FROM ${table} WHERE id = ${id}`, {
            discard: true
          })
          yield* free
        }).pipe(failed("look for runners that have died")),
      leave: (runner) =>
        Effect.zipRight(sql`DELETE FROM ${table} WHERE id = ${runner}`, free).pipe(
          Effect.asVoid,
          failed("end a runner")
        ),
      list: Effect.map(all, (rows) =>
        rows
          .filter((row) => !isDead(row))
          .map(({ pid, place }) => `process ${pid} on ${place.split(" ")[0]}`)
      ).pipe(failed("read who runs workflows"))
    }
  })
