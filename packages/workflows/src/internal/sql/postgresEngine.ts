import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SocketRunner from "@effect/cluster/SocketRunner"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as cluster from "./cluster.js"
import * as dueStorage from "./dueStorage.js"
import * as fencedStorage from "./fencedStorage.js"
import * as patientStorage from "./patientStorage.js"
import * as schemaVersion from "./schemaVersion.js"
import * as sqlEngine from "./sqlEngine.js"

export interface Options {
  readonly host: string
  readonly port: number
  readonly lockExpiration: Duration.DurationInput
  readonly pollInterval: Duration.DurationInput
}

const configOf = ({ host, lockExpiration, pollInterval, port }: Options) =>
  ShardingConfig.layer({
    ...cluster.shared,
    runnerAddress: Option.some(RunnerAddress.make(host, port)),
    // The unit in which executions move between runners. The number must not change.
    shardsPerGroup: 300,
    // A process that is stopped keeps its connections, and with them its advisory locks: rows expire.
    shardLockDisableAdvisory: true,
    shardLockExpiration: lockExpiration,
    shardLockRefreshInterval: Duration.times(lockExpiration, 1 / 3),
    refreshAssignmentsInterval: pollInterval,
    entityMessagePollInterval: pollInterval,
    runnerHealthCheckInterval: lockExpiration
  })

/** Its own number among the advisory locks of the database. */
const creation = 4_114_431

/**
 * Creates the tables. PostgreSQL fails if two runners create a table at the same moment, so that they take
 * turns.
 */
const tables = Layer.scopedDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const connection = yield* sql.reserve
    yield* Effect.acquireRelease(
      connection.executeRaw(`SELECT pg_advisory_lock(${creation})`, []),
      () => Effect.ignore(connection.executeRaw(`SELECT pg_advisory_unlock(${creation})`, []))
    )
    const [row] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`
    yield* schemaVersion.check(`database ${row?.name}`)
    yield* Effect.scoped(Layer.build(Layer.merge(dueStorage.layer, SqlRunnerStorage.layer)))
    yield* sqlEngine.createTables
  }).pipe(Effect.scoped)
)

const runner = SocketRunner.layer.pipe(
  Layer.provide(NodeClusterSocket.layerSocketServer),
  Layer.provide(Layer.provide(RunnerHealth.layerPing, Runners.layerRpc)),
  Layer.provide(NodeClusterSocket.layerClientProtocol),
  Layer.provide(RpcSerialization.layerMsgPack)
)

/**
 * A runner of the executions in a database. It renews its locks over connections of their own: behind the
 * statements of thousands of executions, a renewal would come too late.
 */
export const layer = <E>(options: Options, locks: Layer.Layer<SqlClient.SqlClient, E>) =>
  sqlEngine
    .engine(`${options.host}:${options.port}`)
    .pipe(
      Layer.provide(runner),
      Layer.provide(
        Layer.merge(
          patientStorage.patiently(fencedStorage.layer(`${options.host}:${options.port}`)),
          Layer.provide(Layer.fresh(SqlRunnerStorage.layer), locks)
        )
      ),
      Layer.provide(tables),
      Layer.provide(configOf(options))
    )

/**
 * Whether the runner takes part: the database answers, and has heard of the runner within the life of its
 * locks.
 */
export const isHealthy = ({ host, lockExpiration, port }: Options) =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const seconds = Math.ceil(Duration.toSeconds(lockExpiration))
    return sql`
      SELECT address FROM cluster_runners
      WHERE address = ${`${host}:${port}`}
        AND last_heartbeat > NOW() - ${seconds} * INTERVAL '1 second'`.pipe(
      Effect.map((rows) => rows.length > 0),
      Effect.timeout("5 seconds"),
      Effect.orElseSucceed(() => false)
    )
  })
