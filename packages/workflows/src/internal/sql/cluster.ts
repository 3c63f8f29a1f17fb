import * as EntityAddress from "@effect/cluster/EntityAddress"
import * as EntityId from "@effect/cluster/EntityId"
import * as EntityType from "@effect/cluster/EntityType"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as Sharding from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as past from "./past.js"

/** The engine's default group. */
const shardGroup = "default"

/** The settings of every runner. */
export const shared = {
  // After this time, the engine fails the executions of a workflow that this process does not run.
  entityRegistrationTimeout: Duration.infinity,
  entityReplyPollInterval: Duration.millis(200),
  // An activity that is cut off by a shutdown starts again in the next life, so there is little to wait for.
  entityTerminationTimeout: Duration.seconds(2),
  // Serializing what stays in the process is for tests of other transports.
  simulateRemoteSerialization: false
}

/** The settings of the one runner. */
export const config = ShardingConfig.layer({
  ...shared,
  // A name only: the one runner listens on no port. Read from the environment, a changed PORT would make it
  // another runner.
  runnerAddress: Option.some(RunnerAddress.make("localhost", 1)),
  // One runner owns everything. The number is part of each stored message and must not change.
  shardsPerGroup: 1,
  // Locks are in memory, and end with the process, so these only set how often the runner checks itself.
  shardLockExpiration: Duration.seconds(15),
  shardLockRefreshInterval: Duration.seconds(5),
  refreshAssignmentsInterval: Duration.seconds(1),
  // The precision of every durable pause: the default, 10 seconds, would delay each of them.
  entityMessagePollInterval: Duration.seconds(1)
})

/** The one runner does not leave when it drains: the engine would warn each second that no runner is left. */
const soleRunner = Layer.effect(
  RunnerStorage.RunnerStorage,
  Effect.map(RunnerStorage.makeMemory, (runners) => ({ ...runners, unregister: () => Effect.void }))
)

/** One runner on a storage of messages that belongs to this process. */
export const layer = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provide([soleRunner, RunnerHealth.layerNoop])
)

/** The messages of an execution. */
const addressOf = (sharding: Sharding.Sharding["Type"], workflow: string, executionId: string) => {
  const entityId = EntityId.make(executionId)
  return EntityAddress.EntityAddress.make({
    entityType: EntityType.EntityType.make(past.entityTypeOf(workflow)),
    entityId,
    shardId: sharding.getShardId(entityId, shardGroup)
  })
}

/** The parts of `store.Store` beside the store. */
export const make = Effect.gen(function* () {
  const sharding = yield* Sharding.Sharding
  const storage = yield* MessageStorage.MessageStorage
  return {
    nudge: (workflow: string, executionId: string): Effect.Effect<void> =>
      storage.resetAddress(addressOf(sharding, workflow, executionId)).pipe(
        Effect.zipRight(sharding.pollStorage),
        Effect.catchAll((error) =>
          Effect.logWarning("The database of the workflows failed.", error)
        )
      )
  }
})
