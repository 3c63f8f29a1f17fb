/** The batches of a process, as tests start them. */
import { assert } from "@effect/vitest"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import type * as Batches from "@manilla/workflow-engine/Batches"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import type { Steps } from "@manilla/test-support/Steps"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Policy from "@manilla/workflows/Policy"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as engineStore from "../../../workflow-engine/src/internal/engineStore.js"
import * as engine from "../../../workflow-engine/src/internal/engine.js"
import * as memoryStore from "../../../workflow-engine/src/internal/memoryStore.js"
import * as world from "./world.js"

export const operation = "Payouts.create"
export const policy = {
  carryOn: { initial: "5 seconds", factor: 2, deadline: "10 minutes" }
} as const

/** The batches of a process that has its own engine, and shares a table with others. */
export const life = (
  table: Batches.Service,
  concurrency = 3,
  changed: (store: engineStore.EngineStore) => engineStore.EngineStore = identity
) =>
  Layer.build(
    PayoutBatch.layer({ concurrency }).pipe(
      Layer.provideMerge(Layer.provide(DisbursePayout.layer, Policy.layer(policy))),
      Layer.provideMerge(
        Layer.unwrapEffect(
          Effect.map(memoryStore.make, (store) =>
            engine.layer(changed({ ...store, batches: table }), {
              pollInterval: "1 hour",
              beatInterval: "1 hour"
            })
          )
        )
      )
    )
  )

export const items = (count: number) =>
  Effect.map(world.payout, (request) =>
    Stream.map(Stream.range(1, count), (number) => ({ key: `E${number}`, request }))
  )

export const start = (count: number) =>
  Effect.gen(function* () {
    const batches = yield* PayoutBatch.PayoutBatch
    yield* batches.start("payroll", yield* items(count))
    return batches
  })

export const madeOnce = (count: number) =>
  Effect.gen(function* () {
    const { payouts } = yield* Sandbox.Sandbox
    const made = yield* payouts
    assert.lengthOf(made, count)
    assert.strictEqual(new Set(made.map(({ idempotency_key }) => idempotency_key)).size, count)
  })

/** Defines a test in virtual time, over a sandbox of its own. */
export const onSandbox = (
  title: string,
  steps: () => Steps<Layer.Layer.Success<ReturnType<typeof world.services>> | Scope.Scope>
) =>
  VirtualClock.test(title, () =>
    Effect.gen(steps).pipe(Effect.scoped, Effect.provide(world.services()))
  )

/** In an hour, all items of a batch are completed, each by a payout of its own. */
export const pays = (batches: PayoutBatch.Service, count: number) =>
  Effect.gen(function* () {
    yield* VirtualClock.pass("1 hour")
    const completed = { total: count, completed: count }
    assert.deepInclude(yield* batches.await("payroll"), completed)
    yield* madeOnce(count)
  })

/** Starts a batch in a process whose table may be changed. */
export const begin = (count: number, ...process: Parameters<typeof life>) =>
  Effect.flatMap(life(...process), (context) => Effect.provide(start(count), context))
