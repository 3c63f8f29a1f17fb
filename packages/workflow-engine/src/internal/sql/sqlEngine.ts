import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Engine from "../../Engine.js"
import * as engine from "../engine.js"
import { forOperator } from "../engineStore.js"
import * as migrations from "./migrations.js"
import * as runners from "./runners.js"
import * as sqlBatches from "./sqlBatches.js"
import * as sqlStore from "./sqlStore.js"

/** How often a runner looks for work, which is the precision of durable pauses. Each look is a query. */
const pollInterval = Duration.seconds(1)

/**
 * The engine, and the batches, in the tables of a database. After a silence of `expiration`, a runner has died. Runners
 * show that they live over a client of their own.
 */
export const layer = <E, R>(
  expiration: Duration.DurationInput,
  beats: Effect.Effect<SqlClient.SqlClient, E, R>
) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const shown = Effect.provideServiceEffect(
        runners.make(expiration),
        SqlClient.SqlClient,
        beats
      )
      const store = yield* sqlStore.make(yield* shown)
      const beatInterval = Duration.times(expiration, 1 / 3)
      return engine.layer(store, { beatInterval, pollInterval })
    })
  )

/** Reads and changes the rows of a database beside the processes that run workflows on it. Runs and creates nothing. */
export const open = (database: string, client: Layer.Layer<SqlClient.SqlClient, SqlError>) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(client)
    return yield* Effect.gen(function* () {
      if (!(yield* migrations.hasTables(database))) {
        return yield* Effect.fail("no workflows are stored here")
      }
      return forOperator(yield* sqlStore.make(yield* runners.make("1 minute")))
    }).pipe(Effect.provide(context))
  }).pipe(Effect.mapError(unavailable(database)))

/** The table of batches of a database, whose tables are made if they do not exist. For engines that are not of this package. */
export const batches = <E>(
  database: string,
  prepared: Effect.Effect<void, E, SqlClient.SqlClient>,
  client: Layer.Layer<SqlClient.SqlClient, SqlError>
) =>
  Effect.flatMap(Layer.build(client), (context) =>
    Effect.provide(Effect.zipRight(prepared, sqlBatches.make), context)
  ).pipe(Effect.mapError(unavailable(database)))

/** The error of a database that cannot be used. One whose tables have another layout has its own. */
export const unavailable = (database: string) => (cause: unknown) =>
  cause instanceof Engine.UnsupportedSchema
    ? cause
    : new Engine.DatabaseUnavailable({ database, cause })
