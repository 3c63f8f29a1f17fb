/** Databases of other versions. `workflows/prove/Migrations.test.ts` tests executions in flight on them. */
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, it } from "@effect/vitest"
import * as Files from "@manilla/test-support/Files"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import { constUndefined } from "effect/Function"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as database from "../src/internal/sql/database.js"
import * as migrations from "../src/internal/sql/migrations.js"
import * as Sqlite from "../src/sqlite.js"

const versions = Object.keys(migrations.layouts).map(Number)
const first = Math.min(...versions)
const latest = Math.max(...versions)

const later = "Use the version of @manilla/workflow-engine that made them, or a later one."
const start = "A process of this version that runs workflows brings tables of version 5 or later"

const refusal = <A, E extends { readonly message: string }>(
  open: Effect.Effect<A, E, Scope.Scope>
) =>
  Effect.match(Effect.scoped(open), {
    onFailure: ({ message }) => message,
    onSuccess: constUndefined
  })

it.scopedLive.each([
  ...Array.from({ length: first - 1 }, (_, i) => [i + 1, start, start] as const),
  ...versions.filter((one) => one < latest).map((one) => [one, undefined, start] as const),
  [latest, undefined, undefined],
  [latest + 1, later, later],
  [latest + 93, later, later]
] as const)(
  "tables of layout %i, by a process that runs workflows and by the command",
  ([stored, byRunner, byCommand]) =>
    Effect.gen(function* () {
      const file = yield* Files.database
      yield* Effect.scoped(Layer.build(Sqlite.layerSqlite({ file })))
      const inFile = <A, E>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
        Effect.flatMap(SqlClient.SqlClient, use).pipe(
          Effect.provide(Layer.fresh(database.layer(file)))
        )
      yield* inFile((sql) => sql`UPDATE manilla_schema SET version = ${stored}`)
      const contents = inFile((sql) =>
        Effect.all([sql`SELECT * FROM manilla_schema`, sql`SELECT sql FROM sqlite_master`])
      )
      const before = yield* contents
      const runner = Layer.build(Sqlite.layerSqlite({ file }))
      const ends = [
        [yield* refusal(Sqlite.open(file)), byCommand],
        // The proof brings tables up to date: these have the latest layout.
        [byRunner === undefined ? undefined : yield* refusal(runner), byRunner]
      ] as const
      for (const [message, remedy] of ends) {
        if (remedy === undefined) {
          assert.isUndefined(message)
          continue
        }
        const both = `the tables have schema version ${stored}, and this version of @manilla/workflow-engine has schema version ${latest}`
        assert.include(message, both)
        assert.include(message, remedy)
        assert.deepStrictEqual(yield* contents, before)
      }
    })
)

Test.over(Layer.unwrapScoped(Effect.map(Files.database, database.layer))).live(
  "tables that cannot be made as a whole are not made at all",
  function* () {
    const sql = yield* SqlClient.SqlClient
    const names = sql`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`
    // Another program has a table with the name of one of the last.
    yield* sql`CREATE TABLE manilla_batches_1 (id INTEGER)`
    const before = yield* names
    yield* Effect.flip(migrations.migrate("test"))
    assert.deepStrictEqual(yield* names, before)
    yield* sql`DROP TABLE manilla_batches_1`
    yield* migrations.migrate("test")
  }
)
