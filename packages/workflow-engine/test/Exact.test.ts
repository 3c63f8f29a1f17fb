/** The rules of the engine, each over all of its cases: what it refuses, what it waits for, and what an interrupt ends. */
import { assert, describe, it } from "@effect/vitest"
import * as Activity from "@effect/workflow/Activity"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import * as Files from "@manilla/test-support/Files"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Memory from "@manilla/workflow-engine/memory"
import * as Sqlite from "@manilla/workflow-engine/sqlite"
import * as Durable from "@manilla/workflows/Durable"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as memoryStore from "../src/internal/memoryStore.js"
import * as closing from "./utils/closing.js"
import * as exact from "./utils/exact.js"
import { onSqlite } from "./utils/sqlite.js"
import {
  all,
  block,
  type Body,
  done,
  flight,
  hotel,
  key,
  note,
  signal,
  sleep,
  started
} from "./utils/trip.js"

const test = VirtualClock.tests(Layer.empty)

describe("an engine in memory", () => exact.test(memoryStore.make, VirtualClock.test))

describe("an engine on SQLite", () => exact.test(Effect.orDie(onSqlite), VirtualClock.test))

describe("a body is refused before anything is sent, and told what to do, if it", () => {
  const discard = "Start all executions with `{ discard: true }`"
  const deadline = "`Durable.signal({ name, success, deadline })`"
  const oneByOne = "Call blocks one after another"
  for (const [name, body, remedy] of [
    ["awaits executions beside each other", all(hotel, flight), discard],
    [
      "awaits an execution until a timeout",
      Effect.ignore(Effect.timeout(hotel, "1 minute")),
      discard
    ],
    [
      "awaits an execution in a fiber",
      Effect.flatMap(Effect.fork(hotel), (one) => one.await),
      discard
    ],
    ["pauses beside a pause", all(sleep, sleep), deadline],
    ["pauses in a race", Effect.race(sleep, Effect.never), deadline],
    ["awaits a signal until a timeout", Effect.ignore(Effect.timeout(signal, "1 day")), deadline],
    [
      "awaits a signal in a race of Effect's",
      DurableDeferred.raceAll({
        name: "race",
        success: Schema.Void,
        error: Schema.Never,
        effects: [signal, sleep]
      }),
      deadline
    ],
    [
      "races activities",
      Activity.raceAll("race", [note("a"), note("b")]),
      "Race effects in one activity"
    ],
    ["runs blocks beside each other", all(block, block), oneByOne],
    ["runs a block in a race", Effect.race(block, Effect.never), oneByOne],
    [
      "makes a part undoable beside another one",
      Durable.compensating(
        Effect.all(
          [
            Durable.compensate(note("a"), () => Effect.void),
            Durable.compensate(note("b"), () => Effect.void)
          ],
          { concurrency: "unbounded", discard: true }
        )
      ),
      oneByOne
    ],
    ["ends before a block in a fiber", Effect.asVoid(Effect.fork(block)), oneByOne],
    ["pauses before a block in a fiber", Effect.zipRight(Effect.fork(block), sleep), oneByOne],
    [
      "awaits a signal before a block in a fiber",
      Effect.zipRight(Effect.fork(block), signal),
      oneByOne
    ],
    [
      "fails before a block in a fiber",
      Effect.zipRight(Effect.fork(block), Effect.fail("no seat")),
      oneByOne
    ],
    ["pauses before a signal in a fiber", Effect.zipRight(Effect.fork(signal), block), deadline],
    ["hides that", Effect.catchAllCause(all(sleep, sleep), () => note("ship")), deadline]
  ] satisfies ReadonlyArray<readonly [string, Body, string]>) {
    test(name, function* () {
      const { operator } = yield* started(memoryStore.make, body)
      yield* VirtualClock.pass("1 minute")
      assert.strictEqual((yield* operator.status(key)).state, "Died")
      const cause = yield* Effect.flip(Effect.sandbox(operator.await(key)))
      assert.include(Cause.pretty(cause), remedy)
      assert.deepStrictEqual(done, [])
    })
  }

  test("uses `Workflow.withCompensation`: it is undone at once", function* () {
    const paid = Workflow.withCompensation(hotel, () => Effect.orDie(note("refund")))
    const { operator } = yield* started(memoryStore.make, Effect.zipRight(paid, note("ship")))
    yield* VirtualClock.pass("1 minute")
    assert.deepStrictEqual(done, ["pay hotel", "refund"])
    const cause = yield* Effect.flip(Effect.sandbox(operator.await(key)))
    assert.include(Cause.pretty(cause), "Use `Durable.compensating`")
  })
})

test("a body that catches the end of its run does nothing more before its next run", function* () {
  const pause = Durable.sleep("a minute", "1 minute")
  const caught = Effect.uninterruptible(Effect.catchAllCause(pause, () => note("early")))
  const { operator } = yield* started(memoryStore.make, Effect.zipRight(caught, note("ship")))
  yield* VirtualClock.pass("30 seconds")
  assert.deepStrictEqual(done, [])
  yield* VirtualClock.pass("1 minute")
  assert.deepStrictEqual(done, ["ship"])
  assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
})

describe("a call that awaits an execution is interrupted when its engine ends", () => {
  it.live("in memory", () => closing.test(Effect.succeed(Memory.layerMemory)))
  it.live("on SQLite", () =>
    closing.test(Effect.map(Files.database, (file) => Layer.orDie(Sqlite.layerSqlite({ file }))))
  )
})
