import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { performance } from "node:perf_hooks"
import type * as engineStore from "../engineStore.js"
import { suspectDeaths } from "../transitions.js"
import { dialect, failed } from "./statements.js"

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

interface Beat {
  readonly beat: number
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

/**
 * The runners of an SQLite or PostgreSQL database, which have a table. One that is silent for some time has died,
 * and so has one whose process is gone. The time is the database's.
 */
export const make = (expiration: Duration.DurationInput) =>
  Effect.map(SqlClient.SqlClient, (sql): engineStore.Runners => {
    const now = dialect(sql)(
      "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
      "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
    )
    /** The last time that the database has told, and when this process heard of it. */
    let told = { millis: 0, nanos: 0n }
    const learn = (rows: ReadonlyArray<Beat>) =>
      Effect.map(Clock.currentTimeNanos, (nanos) => {
        for (const { beat } of rows) told = { millis: beat, nanos }
      })
    // By the time that has passed since then: somebody may set the clock of this process.
    const sinceTold = Effect.map(
      Clock.currentTimeNanos,
      (nanos) => told.millis + Number((nanos - told.nanos) / 1_000_000n)
    )

    // One that seems to have shown itself later than now did so before the clock was set back.
    const isDead = (row: Row) =>
      Math.abs(row.silence) > Duration.toMillis(expiration) || isGone(row)
    const all = sql<Row>`SELECT id, place, pid, born, ${now} - beat AS silence FROM manilla_runners`

    /** See `transitions.died`. Rows of an earlier version have no deaths. */
    const deaths = dialect(sql)(
      "COALESCE((progress::jsonb->>'deaths')::bigint, 0)",
      "COALESCE(json_extract(progress, '$.deaths'), 0)"
    )
    const died = sql`CASE WHEN ${deaths} < ${sql.literal(String(suspectDeaths))} THEN ${deaths} + 1 ELSE ${deaths} END`

    const isLeft = sql`runner IS NOT NULL AND runner NOT IN (SELECT id FROM manilla_runners)`
    /** Frees the executions of runners that are no longer listed. */
    const free = (deaths: Fragment) => sql`
      UPDATE manilla_executions
      SET runner = NULL, due_millis = 0, revision = revision + 1, progress = ${dialect(sql)(
        "jsonb_set(progress::jsonb, '{deaths}', to_jsonb(",
        "json_set(progress, '$.deaths', ("
      )} ${deaths} ${dialect(sql)("))::text", "))")}
      WHERE ended_millis IS NULL AND ${isLeft}`

    return {
      now: sql.onDialectOrElse({ pg: () => sinceTold, orElse: () => Clock.currentTimeMillis }),
      join: sql<Pick<Row, "id"> & Beat>`
        INSERT INTO manilla_runners (place, pid, born, beat)
        VALUES (${place()}, ${process.pid}, ${born}, ${now})
        RETURNING id, beat`.pipe(
        Effect.tap(learn),
        Effect.map(([row]) => row?.id ?? NaN),
        failed("register a runner")
      ),
      beat: (runner) =>
        sql<Beat>`UPDATE manilla_runners SET beat = ${now} WHERE id = ${runner} RETURNING beat`.pipe(
          Effect.tap(learn),
          Effect.map((rows) => rows.length > 0),
          failed("show that a runner lives")
        ),
      reap: (runner) =>
        Effect.gen(function* () {
          const dead = (yield* all).filter((row) => row.id !== runner && isDead(row))
          for (const { id } of dead) yield* sql`DELETE FROM manilla_runners WHERE id = ${id}`
          yield* free(died)
          const rows = yield* sql<{
            readonly id: string
          }>`SELECT execution_id AS id FROM manilla_executions WHERE ${isLeft}`
          return rows.map(({ id }) => id)
        }).pipe(failed("look for runners that have died")),
      leave: (runner) =>
        Effect.zipRight(sql`DELETE FROM manilla_runners WHERE id = ${runner}`, free(sql`0`)).pipe(
          Effect.asVoid,
          failed("end a runner")
        ),
      list: Effect.map(all, (rows) =>
        rows.map((row) => ({
          name: `process ${row.pid} on ${row.place.split(" ")[0]}`,
          silentMillis: row.silence,
          isAlive: !isDead(row)
        }))
      ).pipe(failed("read who runs workflows"))
    }
  })
