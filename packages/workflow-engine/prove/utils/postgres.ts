/** A PostgreSQL server, and the store of executions on it. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Postgres from "@manilla/test-support/Postgres"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as postgresClient from "../../src/internal/sql/postgresClient.js"
import * as migrations from "../../src/internal/sql/migrations.js"
import * as runners from "../../src/internal/sql/runners.js"
import * as sqlStore from "../../src/internal/sql/sqlStore.js"

class Sql extends Context.Tag("test/Sql")<Sql, SqlClient.SqlClient>() {}

export const server = Layer.scoped(
  Sql,
  Effect.gen(function* () {
    const { url } = yield* Postgres.server
    const options = { url, databaseTimeout: "30 seconds" } as const
    return Context.get(yield* Layer.build(postgresClient.layer(options, 4)), SqlClient.SqlClient)
  })
)

/** A store without rows. */
export const empty = Effect.flatMap(Sql, (sql) =>
  Effect.gen(function* () {
    yield* migrations.migrate("test")
    yield* sql`TRUNCATE manilla_executions, manilla_steps, manilla_runners`
    return yield* sqlStore.make(yield* runners.make("15 seconds"))
  }).pipe(Effect.provideService(SqlClient.SqlClient, sql))
)
