/** The rules of the engine, each over all of its cases: what it refuses, what it waits for, and what an interrupt ends. */
import { assert, describe, it } from "@effect/vitest"
import * as Activity from "@effect/workflow/Activity"
import * as DurableClock from "@effect/workflow/DurableClock"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Files from "@manilla/test-support/Files"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Engine from "@manilla/workflow-engine/Engine"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Memory from "@manilla/workflow-engine/memory"
import * as Sqlite from "@manilla/workflow-engine/sqlite"
import * as Durable from "@manilla/workflows/Durable"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as engineStore from "../src/internal/engineStore.js"
import * as memoryStore from "../src/internal/memoryStore.js"
import * as transitions from "../src/internal/transitions.js"
import * as engines from "./utils/engines.js"

const workflow = <Name extends string>(name: Name) =>
  Workflow.make({
    name,
    payload: { key: Schema.String },
    error: Schema.Union(Schema.String, Execution.ExecutionCancelled),
    idempotencyKey: ({ key }) => key
  })
const Trip = workflow("Shop/Trip/1")
const Patient = Trip.annotate(Workflow.SuspendOnFailure, true)
const Hotel = workflow("Shop/Hotel/1")
const Flight = workflow("Shop/Flight/1")
const key = "order-42"

type Body = Effect.Effect<
  void,
  string | Execution.ExecutionCancelled,
  WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance | Scope.Scope
>

const done: Array<string> = []
const note = (name: string, seconds = 0) =>
  Activity.make({
    name,
    execute: Effect.delay(
      Effect.sync(() => void done.push(name)),
      `${seconds} seconds`
    )
  })
const sleep = DurableClock.sleep({ name: "a day", duration: "1 day" })
const hotel = Hotel.execute({ key })
const flight = Flight.execute({ key })

/** A process that runs a trip. The hotel is paid after four seconds, and the flight fails after two. */
const on = (store: engineStore.EngineStore, body: Body, workflow = Trip) =>
  Layer.build(
    Layer.provideMerge(
      Layer.mergeAll(
        workflow.toLayer(() => body),
        Hotel.toLayer(() => note("pay hotel", 4)),
        Flight.toLayer(() => Effect.zipRight(note("fly", 2), Effect.fail("no seat")))
      ),
      engines.on(store)
    )
  )

const started = (body: Body, workflow = Trip) =>
  Effect.gen(function* () {
    done.length = 0
    const store = yield* memoryStore.make
    const context = yield* on(store, body, workflow)
    const operator = yield* Effect.provide(Operator.of(workflow), context)
    yield* operator.start({ key })
    return { context, operator, store }
  })

const all = (one: Body, other: Body) =>
  Effect.all([one, other], { concurrency: "unbounded", discard: true })
const signal = DurableDeferred.await(DurableDeferred.make("approval"))
const block = Effect.asVoid(Durable.sleep("a block", "1 day"))

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
    ["hides that", Effect.catchAllCause(all(sleep, sleep), () => note("ship")), deadline]
  ] satisfies ReadonlyArray<readonly [string, Body, string]>) {
    VirtualClock.test(name, () =>
      Effect.gen(function* () {
        const { operator } = yield* started(body)
        yield* VirtualClock.pass("1 minute")
        assert.strictEqual((yield* operator.status(key)).state, "Died")
        const cause = yield* Effect.flip(Effect.sandbox(operator.await(key)))
        assert.include(Cause.pretty(cause), remedy)
        assert.deepStrictEqual(done, [])
      })
    )
  }

  VirtualClock.test("uses `Workflow.withCompensation`: it is undone at once", () =>
    Effect.gen(function* () {
      const paid = Workflow.withCompensation(hotel, () => Effect.orDie(note("refund")))
      const { operator } = yield* started(Effect.zipRight(paid, note("ship")))
      yield* VirtualClock.pass("1 minute")
      assert.deepStrictEqual(done, ["pay hotel", "refund"])
      const cause = yield* Effect.flip(Effect.sandbox(operator.await(key)))
      assert.include(Cause.pretty(cause), "Use `Durable.compensating`")
    })
  )
})

describe("executions that a body has begun", () => {
  const both = Effect.zipRight(
    Hotel.execute({ key }, { discard: true }),
    Flight.execute({ key }, { discard: true })
  )
  const refunded = Durable.compensate(hotel, () => Effect.orDie(note("refund")))

  for (const [name, rest, state, expected] of [
    [
      "are undone when they are awaited one by one",
      Effect.zipRight(refunded, flight),
      "Failed",
      ["fly", "pay hotel", "refund"]
    ],
    ["end before the body that has failed", flight, "Failed", ["fly", "pay hotel"]],
    ["end before the body that has succeeded", Effect.void, "Succeeded", ["fly", "pay hotel"]],
    [
      "end before anything is undone",
      Effect.zipRight(
        Durable.compensate(note("reserve"), () => Effect.orDie(note("release"))),
        flight
      ),
      "Failed",
      ["reserve", "fly", "pay hotel", "release"]
    ]
  ] as const) {
    VirtualClock.test(name, () =>
      Effect.gen(function* () {
        const body = Durable.compensating(Effect.zipRight(both, rest))
        const { operator } = yield* started(body)
        yield* VirtualClock.pass("3 seconds")
        assert.strictEqual((yield* operator.status(key)).end, undefined)
        yield* VirtualClock.pass("30 seconds")
        assert.strictEqual((yield* operator.status(key)).state, state)
        assert.deepStrictEqual(done, [...expected])
      })
    )
  }

  VirtualClock.test("wake everybody who waits for them, and not only who started them", () =>
    Effect.gen(function* () {
      const { context, operator, store } = yield* started(hotel)
      yield* Effect.provide(Hotel.execute({ key: "b" }, { discard: true }), context)
      yield* VirtualClock.pass("1 second")
      yield* operator.start({ key: "b" })
      yield* VirtualClock.pass("15 seconds")
      assert.strictEqual((yield* operator.status("b")).state, "Succeeded")
      assert.lengthOf(yield* store.runners.list, 1)
    })
  )

  VirtualClock.test("are not purged before everybody who waits has read their end", () =>
    Effect.gen(function* () {
      const store = yield* memoryStore.make
      const context = yield* on({ ...store, wake: () => Effect.void }, hotel)
      yield* Effect.provide(Hotel.execute({ key }, { discard: true }), context)
      const trips = yield* Effect.provide(Operator.of(Trip), context)
      const hotels = yield* Effect.provide(Operator.of(Hotel), context)
      yield* trips.start({ key })
      yield* VirtualClock.pass("10 seconds")
      assert.strictEqual((yield* Effect.flip(hotels.purge(key)))._tag, "ExecutionNotEnded")
      yield* VirtualClock.pass("2 hours")
      yield* hotels.purge(key)
    })
  )
})

describe("an interrupt ends a body", () => {
  const cooling = note("a", 5)
  for (const [name, body, expected] of [
    ["between two activities", Effect.zipRight(cooling, note("b")), ["a"]],
    ["before a pause", Effect.zipRight(cooling, Effect.zipRight(sleep, note("b"))), ["a"]],
    ["before a signal", Effect.zipRight(cooling, Effect.zipRight(signal, note("b"))), ["a"]],
    ["before a block", Effect.zipRight(cooling, Effect.zipRight(block, note("b"))), ["a"]],
    [
      "between a block and an activity",
      Effect.zipRight(
        Durable.step({
          name: "s",
          success: Schema.Void,
          error: Schema.Never,
          execute: Effect.sleep("5 seconds")
        }),
        note("b")
      ),
      []
    ],
    [
      "after a block, in a signal, and undoes it",
      Durable.compensating(
        Effect.zipRight(
          Durable.compensate(cooling, () => Effect.orDie(note("undo"))),
          signal
        )
      ),
      ["a", "undo"]
    ],
    [
      "in `Durable.signal`",
      Effect.zipRight(
        cooling,
        Effect.zipRight(
          Durable.signal({ name: "approval", success: Schema.Void, deadline: "1 day" }),
          note("b")
        )
      ),
      ["a"]
    ],
    [
      "after the end of an execution that it awaits",
      Effect.zipRight(hotel, note("b")),
      ["pay hotel"]
    ]
  ] satisfies ReadonlyArray<readonly [string, Body, ReadonlyArray<string>]>) {
    VirtualClock.test(name, () =>
      Effect.gen(function* () {
        const { operator } = yield* started(Effect.asVoid(body))
        yield* VirtualClock.pass("1 second")
        yield* operator.interrupt(key)
        yield* VirtualClock.pass("1 minute")
        const error = yield* Effect.flip(operator.await(key))
        assert.instanceOf(error, Execution.ExecutionCancelled)
        assert.deepStrictEqual(done, [...expected])
      })
    )
  }
})

describe("`Durable.signal`", () => {
  const approval = DurableDeferred.make("approval", { success: Schema.Boolean })
  const approve = (key: string) =>
    Effect.gen(function* () {
      const token = yield* DurableDeferred.tokenFromPayload(approval, {
        workflow: Trip,
        payload: { key }
      })
      yield* DurableDeferred.succeed(approval, { token, value: true })
    })
  for (const [name, minutes, expected] of [
    ["before the body waits", -1, "true"],
    ["while it waits", 30, "true"],
    ["after the deadline", 90, "none"]
  ] as const) {
    VirtualClock.test(`that is sent ${name}`, () =>
      Effect.gen(function* () {
        const body = Effect.gen(function* () {
          const sent = yield* Durable.signal({
            name: "approval",
            success: Schema.Boolean,
            deadline: "1 hour"
          })
          yield* note(Option.match(sent, { onNone: () => "none", onSome: String }))
          yield* Durable.sleep("two hours", "2 hours")
          yield* note("again")
        })
        done.length = 0
        const store = yield* memoryStore.make
        const context = yield* on(store, body)
        const operator = yield* Effect.provide(Operator.of(Trip), context)
        const send = Effect.provide(approve(key), context)
        if (minutes < 0) yield* send
        yield* operator.start({ key })
        yield* VirtualClock.pass(`${Math.max(1, minutes)} minutes`)
        if (minutes > 0) yield* send
        yield* VirtualClock.pass("4 hours")
        assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
        assert.deepStrictEqual(done, [expected, "again"])
      })
    )
  }
})

VirtualClock.test("a resume while the body runs is not lost", () =>
  Effect.gen(function* () {
    let runs = 0
    const fails = Effect.suspend(() => (++runs === 1 ? Effect.fail("not yet") : Effect.void))
    const { operator } = yield* started(Effect.zipRight(note("slow", 10), fails), Patient)
    yield* VirtualClock.pass("2 seconds")
    yield* operator.resume(key)
    yield* VirtualClock.pass("1 minute")
    assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
  })
)

VirtualClock.test("a body that waits after a failure says why", () =>
  Effect.gen(function* () {
    const { context, operator } = yield* started(Effect.die(new Error("no seat")), Patient)
    yield* VirtualClock.pass("5 seconds")
    assert.strictEqual((yield* operator.status(key)).pause, Execution.Pause.failed)
    const result = yield* Effect.flatMap(Patient.executionId({ key }), Patient.poll).pipe(
      Effect.provide(context)
    )
    assert.include(
      Cause.pretty(result?._tag === "Suspended" && result.cause ? result.cause : Cause.empty),
      "no seat"
    )
  })
)

describe("an execution whose process dies again and again", () => {
  const begun: Array<string> = []
  const poison = (name: string) =>
    Activity.make({
      name,
      execute: Effect.zipRight(
        Effect.sync(() => void begun.push(name)),
        Effect.never
      )
    })
  /** The process dies in the body itself. */
  const deadly = Effect.zipRight(
    Effect.sync(() => void begun.push("body")),
    Effect.never
  )
  const dies = (store: engineStore.EngineStore, times: number) =>
    Effect.gen(function* () {
      const id = yield* Trip.executionId({ key })
      for (let i = 0; i < times; i++) {
        yield* VirtualClock.pass("3 seconds")
        yield* store.modify(id, (one) => (one.runner === undefined ? one : transitions.died(one)))
      }
      yield* VirtualClock.pass("3 seconds")
    })

  for (const [where, body, steps, alone] of [
    ["in an activity", poison("a"), ["a/1"], 1],
    ["in activities beside each other", all(poison("a"), poison("b")), ["a/1", "b/1"], 2],
    ["in its body", deadly, [undefined], 1]
  ] satisfies ReadonlyArray<readonly [string, Body, ReadonlyArray<string | undefined>, number]>) {
    for (const [cause, what, ends] of [
      ["a resume", "resume", false],
      ["an interrupt", "interrupt", true]
    ] as const) {
      VirtualClock.test(`${where} is parked after ten lives, and ${cause} tries it again`, () =>
        Effect.gen(function* () {
          begun.length = 0
          const { operator, store } = yield* started(Effect.zipRight(note("first"), body))
          yield* dies(store, 19)
          assert.lengthOf(begun, 10 * alone)
          const parked = yield* operator.status(key)
          assert.deepInclude(parked, { pause: "parked", state: "Waiting", deaths: 10 })
          assert.include(steps, parked.step)
          yield* operator[what](key)
          yield* dies(store, 19)
          const isHeard = ends && where !== "in its body"
          assert.lengthOf(begun, isHeard ? 10 * alone : 20 * alone)
          assert.strictEqual((yield* operator.status(key)).state, isHeard ? "Failed" : "Waiting")
          assert.deepStrictEqual(done, ["first"])
        })
      )
    }
  }

  VirtualClock.test("is tried again by a resume that comes while it is parked once more", () =>
    Effect.gen(function* () {
      const { operator, store } = yield* started(poison("a"))
      yield* dies(store, 19)
      const { executionId } = yield* operator.status(key)
      const taken = yield* Effect.flatten(
        store.modify(executionId, (one) => transitions.taken(one, 1))
      )
      yield* store.modify(executionId, transitions.resumed)
      const after = yield* Effect.flatten(store.modify(executionId, transitions.parked))
      assert.deepInclude(after, { runner: undefined, pause: undefined, dueMillis: 0, deaths: 0 })
      assert.isTrue(transitions.isPoison(taken))
    })
  )

  VirtualClock.test("is not parked while it comes forward", () =>
    Effect.gen(function* () {
      const steps = Array.from({ length: 15 }, (_, i) => note(`step ${i}`, 2))
      const { operator, store } = yield* started(Effect.all(steps, { discard: true }))
      yield* dies(store, 15)
      yield* VirtualClock.pass("1 minute")
      assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
    })
  )
})

describe("a call that awaits an execution is interrupted when its engine ends", () => {
  it.live.each([
    ["in memory", Effect.succeed(Memory.layerMemory)],
    ["on SQLite", Effect.map(Files.database, (file) => Layer.orDie(Sqlite.layerSqlite({ file })))]
  ] as const)("%s", ([, engine]) =>
    Effect.gen(function* () {
      const layer = Trip.toLayer(() => Effect.orDie(block))
      const runtime = ManagedRuntime.make(Layer.provideMerge(layer, yield* engine))
      const operator = yield* Effect.promise(() => runtime.runPromise(Operator.of(Trip)))
      const calls = [
        runtime.runPromiseExit(Trip.execute({ key })),
        runtime.runPromiseExit(
          Effect.flatMap(Engine.Engine, (engine) =>
            Effect.flatMap(Trip.executionId({ key }), engine.untilEnd)
          )
        )
      ]
      yield* Effect.promise(() =>
        runtime.runPromise(
          Effect.repeat(Effect.delay(Effect.option(operator.status(key)), "10 millis"), {
            until: Option.exists(({ pause }) => pause !== undefined)
          })
        )
      )
      yield* Effect.promise(() => runtime.dispose())
      for (const exit of yield* Effect.promise(() =>
        Promise.all<Exit.Exit<unknown, unknown>>(calls)
      )) {
        assert.isTrue(Exit.isInterrupted(exit))
      }
    }).pipe(Effect.scoped, Effect.timeout("20 seconds"))
  )
})
