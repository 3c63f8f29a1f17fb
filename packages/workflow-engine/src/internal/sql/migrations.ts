/**
 * The layouts of the tables, each by the statements that make it of the one before. A layout that was released never
 * changes. Processes of the version before run beside those of the next one, until the last of them was replaced. So a new
 * layout keeps every column, adds only columns that may be null or have a default, and keeps the meaning of each value. The
 * same holds for members of `progress`: a row may have none of those that were added.
 *
 * Not Effect's `Migrator`: it takes a busy SQLite file for one that another process migrates, and goes on without its tables.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { UnsupportedSchema } from "../../Engine.js"
import type { Words } from "./statements.js"
import { wordsOf } from "./statements.js"

export const layouts: Readonly<Record<number, (words: Words) => ReadonlyArray<string>>> = {
  5: (words) => [
    `CREATE TABLE manilla_schema (id INTEGER PRIMARY KEY, version INTEGER NOT NULL)`,
    `CREATE TABLE manilla_runners (
      id ${words("BIGSERIAL PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT")}, place TEXT NOT NULL, pid BIGINT NOT NULL, born BIGINT NOT NULL, beat BIGINT NOT NULL
    )`,
    `CREATE TABLE manilla_executions (
      execution_id TEXT NOT NULL PRIMARY KEY, workflow TEXT NOT NULL, business_key TEXT NOT NULL, payload TEXT NOT NULL,
      started_millis BIGINT NOT NULL, runner BIGINT, due_millis BIGINT NOT NULL, pause TEXT, progress TEXT NOT NULL,
      cancel_requested INTEGER NOT NULL, ended_as TEXT, ended_millis BIGINT, exit TEXT, purged INTEGER NOT NULL,
      revision INTEGER NOT NULL
    ) ${words("", "WITHOUT ROWID")}`,
    `CREATE INDEX manilla_executions_key ON manilla_executions (business_key, workflow)`,
    `CREATE INDEX manilla_executions_due
      ON manilla_executions (due_millis) WHERE ended_millis IS NULL AND runner IS NULL`,
    `CREATE INDEX manilla_executions_runner ON manilla_executions (runner) WHERE runner IS NOT NULL`,
    `CREATE INDEX manilla_executions_started ON manilla_executions (started_millis, workflow, business_key)`,
    `CREATE TABLE manilla_steps (
      execution_id TEXT NOT NULL, name TEXT NOT NULL, exit TEXT NOT NULL, stored_millis BIGINT NOT NULL,
      PRIMARY KEY (execution_id, name)
    ) ${words("", "WITHOUT ROWID")}`,
    `CREATE TABLE manilla_batches_1 (
      key TEXT PRIMARY KEY, epoch INTEGER NOT NULL, phase TEXT NOT NULL, total INTEGER NOT NULL,
      started DOUBLE PRECISION NOT NULL, ended DOUBLE PRECISION
    )`,
    `CREATE TABLE manilla_batch_items_1 (
      batch TEXT NOT NULL, number INTEGER NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL, state TEXT NOT NULL,
      sent DOUBLE PRECISION, reference TEXT, result TEXT, PRIMARY KEY (batch, number), UNIQUE (batch, key)
    ) ${words("", "WITHOUT ROWID")}`
  ],
  // Indexes for lists, so that they read the rows of their page only, and for signals without an execution.
  6: () => [
    `CREATE INDEX manilla_executions_listed
      ON manilla_executions (started_millis, workflow, business_key, ended_as, ended_millis, purged)`,
    `DROP INDEX manilla_executions_started`,
    `CREATE INDEX manilla_steps_signals ON manilla_steps (stored_millis) WHERE name LIKE 'deferred/%'`
  ]
}

const versions = Object.keys(layouts).map(Number)
const latest = Math.max(...versions)

/** The number of the layout of the tables; 0 without any. */
const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql.onDialectOrElse({
    pg: () => sql`
      SELECT 1 FROM pg_tables
      WHERE schemaname = ANY (current_schemas(false)) AND tablename = 'manilla_schema'`,
    orElse: () => sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'manilla_schema'`
  })
  if (tables.length === 0) return 0
  const [row] = yield* sql<{ readonly version: number }>`SELECT version FROM manilla_schema`
  return row?.version ?? 0
})

/** Whether a database has tables, which are those of this version. Fails if they have another layout. Changes nothing. */
export const hasTables = (database: string) =>
  Effect.filterOrFail(
    stored,
    (version) => version === 0 || version === latest,
    (version) => new UnsupportedSchema({ database, stored: version, supported: latest })
  ).pipe(Effect.map((version) => version > 0))

/** Its own number among the advisory locks of a PostgreSQL database. */
const lock = 4_114_431

/**
 * Makes the tables, or brings them to the latest layout, as a whole or not at all. Processes that start together take turns.
 * Fails, and changes nothing, if a later version has made them, or one before the first layout.
 */
export const migrate = (database: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const words = wordsOf(sql)
    const pending = Effect.gen(function* () {
      const from = yield* stored
      if (from === 0 || versions.includes(from)) return versions.filter((version) => version > from)
      return yield* new UnsupportedSchema({ database, stored: from, supported: latest })
    })
    if ((yield* pending).length === 0) return
    yield* Effect.gen(function* () {
      yield* sql.unsafe(words(`SELECT pg_advisory_xact_lock(${lock})`, "SELECT 1"))
      for (const version of yield* pending) {
        for (const statement of layouts[version]?.(words) ?? []) yield* sql.unsafe(statement)
        yield* sql`
          INSERT INTO manilla_schema (id, version) VALUES (1, ${version})
          ON CONFLICT (id) DO UPDATE SET version = excluded.version`
      }
    }).pipe(sql.withTransaction)
  })
