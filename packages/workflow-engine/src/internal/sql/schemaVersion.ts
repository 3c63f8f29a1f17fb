import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { UnsupportedSchema } from "../../Engine.js"

/** Counts the layouts of the tables. A change of the layout needs the next number. */
const supported = 5

/** Whether a database has no tables yet. Fails if they have another layout. Changes nothing. */
export const isNew = (database: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql.onDialectOrElse({
      pg: () => sql`
        SELECT 1 FROM pg_tables
        WHERE schemaname = ANY (current_schemas(false)) AND tablename = 'manilla_schema'`,
      orElse: () => sql`
        SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'manilla_schema'`
    })
    if (tables.length === 0) return true
    const [row] = yield* sql<{ readonly version: number }>`SELECT version FROM manilla_schema`
    if (row === undefined || row.version === supported) return row === undefined
    return yield* new UnsupportedSchema({ database, stored: row.version, supported })
  })

/**
 * Fails if the tables of a database have another layout, without a change to them. Otherwise it stamps the
 * database, before anything else is created, so that no process can die between tables and stamp.
 */
export const check = (database: string) =>
  Effect.gen(function* () {
    if (!(yield* isNew(database))) return
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      CREATE TABLE IF NOT EXISTS manilla_schema (id INTEGER PRIMARY KEY, version INTEGER NOT NULL)`
    yield* sql`INSERT INTO manilla_schema (id, version) VALUES (1, ${supported}) ON CONFLICT DO NOTHING`
  })
