/** The behaviour of an engine on each store: waits, ends, interrupts and deaths. */
import { assert, describe } from "@effect/vitest"
import * as Activity from "@effect/workflow/Activity"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type { Steps } from "@manilla/test-support/Steps"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Durable from "@manilla/workflows/Durable"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as engineStore from "../../src/internal/engineStore.js"
import * as transitions from "../../src/internal/transitions.js"
import * as engines from "./engines.js"
import {
  all,
  block,
  type Body,
  done,
  flight,
  Flight,
  hotel,
  Hotel,
  key,
  note,
  on,
  Patient,
  signal,
  sleep,
  started,
  Trip
} from "./trip.js"

/** Tests an engine on a store that is empty, in virtual time. */
export const test = <R>(
  empty: Effect.Effect<engineStore.EngineStore, never, R | Scope.Scope>,
  define: (name: string, test: () => Effect.Effect<unknown, unknown, R | Scope.Scope>) => void
) => {
  const effect = (name: string, steps: () => Steps<R | Scope.Scope>) =>
    define(name, () => Effect.gen(steps))

  const make = Effect.map(empty, engines.inVirtualTime)
  const refunded = Durable.compensate(hotel, () => Effect.orDie(note("refund")))

  describe("executions that a body has begun", () => {
    const both = Effect.zipRight(
      Hotel.execute({ key }, { discard: true }),
      Flight.execute({ key }, { discard: true })
    )

    const reserved = Durable.compensate(note("reserve"), () => Effect.orDie(note("release")))
    const begins = Durable.compensate(note("reserve"), () =>
      Hotel.execute({ key: "b" }, { discard: true }).pipe(
        Effect.zipRight(Durable.sleep("a second", "1 second")),
        Effect.zipRight(note("release")),
        Effect.orDie
      )
    )
    const refused = Effect.race(sleep, Effect.never)
    const thenFlight = <E, R>(part: Effect.Effect<void, E, R>) => Effect.zipRight(part, flight)
    for (const [name, rest, state, expected] of [
      ["are undone, awaited one by one", thenFlight(refunded), "Failed", "fly, pay hotel, refund"],
      ["end before the body that has failed", flight, "Failed", "fly, pay hotel"],
      ["end before the body that has succeeded", Effect.void, "Succeeded", "fly, pay hotel"],
      ["end before the body that is refused", refused, "Died", "fly, pay hotel"],
      [
        "end before anything is undone",
        thenFlight(reserved),
        "Failed",
        "reserve, fly, pay hotel, release"
      ],
      [
        "do not hold up the compensation that has begun them",
        thenFlight(begins),
        "Failed",
        "reserve, fly, pay hotel, release, pay hotel"
      ]
    ] as const) {
      effect(name, function* () {
        const body = Durable.compensating(Effect.zipRight(both, rest))
        const { operator } = yield* started(make, body)
        yield* VirtualClock.pass("3 seconds")
        assert.strictEqual((yield* operator.status(key)).end, undefined)
        yield* VirtualClock.pass("30 seconds")
        assert.strictEqual((yield* operator.status(key)).state, state)
        assert.strictEqual(done.join(", "), expected)
      })
    }

    for (const [when, seconds] of [
      ["", 0],
      [", also if they end before these are noted", 10]
    ] as const) {
      effect(`wake all who wait for them, and not only who started them${when}`, function* () {
        const slow = Effect.map(make, (store) => ({
          ...store,
          signal: (...args: Parameters<typeof store.signal>) =>
            Effect.delay(store.signal(...args), `${seconds} seconds`)
        }))
        const { context, operator, store } = yield* started(slow, hotel)
        yield* Effect.provide(Hotel.execute({ key: "b" }, { discard: true }), context)
        yield* VirtualClock.pass("1 second")
        yield* operator.start({ key: "b" })
        yield* VirtualClock.pass("15 seconds")
        assert.strictEqual((yield* operator.status("b")).state, "Succeeded")
        assert.lengthOf(yield* store.runners.list, 1)
      })
    }

    effect("hold up no interrupt of another body that waits for them", function* () {
      const { context, operator } = yield* started(make, hotel)
      // The first body has begun the hotel by then.
      yield* VirtualClock.pass("1 second")
      yield* operator.start({ key: "b" })
      yield* VirtualClock.pass("1 second")
      yield* operator.interrupt("b")
      yield* VirtualClock.pass("1 second")
      assert.strictEqual((yield* operator.status("b")).state, "Failed")
      const hotels = yield* Effect.provide(Operator.of(Hotel), context)
      assert.deepInclude(yield* hotels.status(key), { end: undefined, isCancelRequested: false })
      yield* VirtualClock.pass("10 seconds")
      assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
      yield* hotels.purge(key)
    })

    effect("are not purged before everybody who waits has read their end", function* () {
      let isAway = true
      const away = new Execution.StorageError({ operation: "wake an execution", cause: "" })
      const store = yield* make
      const wake = (id: string) => Effect.suspend(() => (isAway ? away : store.wake(id)))
      const context = yield* on({ ...store, wake }, hotel)
      yield* Effect.provide(Hotel.execute({ key }, { discard: true }), context)
      const trips = yield* Effect.provide(Operator.of(Trip), context)
      const hotels = yield* Effect.provide(Operator.of(Hotel), context)
      yield* trips.start({ key })
      yield* VirtualClock.pass("10 seconds")
      assert.strictEqual((yield* Effect.flip(hotels.purge(key)))._tag, "ExecutionNotEnded")
      isAway = false
      yield* VirtualClock.pass("10 seconds")
      yield* hotels.purge(key)
    })

    for (const [whom, isOwn] of [
      ["the body that has started them", true],
      ["another body that waits for them", false]
    ] as const) {
      effect(`wake ${whom}, also if their process dies before it does`, function* () {
        const store = yield* make
        const first = yield* on({ ...store, wake: () => Effect.never }, hotel)
        const start = Effect.gen(function* () {
          if (!isOwn) yield* Hotel.execute({ key }, { discard: true })
          const operator = yield* Operator.of(Trip)
          yield* operator.start({ key })
          return operator
        })
        const operator = yield* Effect.provide(start, first)
        yield* VirtualClock.pass("10 seconds")
        const hotels = yield* Effect.provide(Operator.of(Hotel), first)
        const { executionId, state } = yield* hotels.status(key)
        assert.strictEqual(state, "Succeeded")
        assert.strictEqual((yield* operator.status(key)).state, "Waiting")
        const { runner = NaN } = yield* Effect.flatten(store.read(executionId))
        yield* store.runners.leave(runner)
        yield* on(store, hotel)
        yield* VirtualClock.pass("10 seconds")
        assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
      })
    }
  })

  describe("an interrupt ends a body", () => {
    const cooling = note("a", 5)
    const execute = Effect.sleep("5 seconds")
    const step = Durable.step({ name: "s", success: Schema.Void, error: Schema.Never, execute })
    const undone = Durable.compensate(cooling, () => Effect.orDie(note("undo")))
    const approval = Durable.signal({ name: "approval", success: Schema.Void, deadline: "1 day" })
    for (const [name, body, expected] of [
      ["between two activities", Effect.zipRight(cooling, note("b")), ["a"]],
      ["before a pause", Effect.zipRight(cooling, Effect.zipRight(sleep, note("b"))), ["a"]],
      ["before a signal", Effect.zipRight(cooling, Effect.zipRight(signal, note("b"))), ["a"]],
      ["before a block", Effect.zipRight(cooling, Effect.zipRight(block, note("b"))), ["a"]],
      ["between a block and an activity", Effect.zipRight(step, note("b")), []],
      [
        "after a block, in a signal, and undoes it",
        Durable.compensating(Effect.zipRight(undone, signal)),
        ["a", "undo"]
      ],
      [
        "in `Durable.signal`",
        Effect.zipRight(cooling, Effect.zipRight(approval, note("b"))),
        ["a"]
      ],
      ["after the end of an awaited execution", Effect.zipRight(hotel, note("b")), ["pay hotel"]],
      [
        "after the end of an execution that it awaits, and undoes that one",
        Durable.compensating(Effect.zipRight(refunded, note("b"))),
        ["pay hotel", "refund"]
      ]
    ] satisfies ReadonlyArray<readonly [string, Body, ReadonlyArray<string>]>) {
      effect(name, function* () {
        const { operator } = yield* started(make, Effect.asVoid(body))
        yield* VirtualClock.pass("1 second")
        yield* operator.interrupt(key)
        yield* VirtualClock.pass("1 minute")
        const error = yield* Effect.flip(operator.await(key))
        assert.instanceOf(error, Execution.ExecutionCancelled)
        assert.deepStrictEqual(done, [...expected])
      })
    }
  })

  effect("an id that PostgreSQL does not store holds nothing up", function* () {
    const bought = Durable.write({
      operation: "Shop.buy",
      key: IdempotencyKey.make(key),
      success: Schema.String,
      idOf: (id) => id,
      send: () => Effect.succeed("a\0b\ud800c")
    })
    const body = Effect.orDie(bought).pipe(
      Effect.zipRight(Durable.sleep("a while", "10 seconds")),
      Effect.zipRight(note("ship", 60))
    )
    const { operator, store } = yield* started(make, body)
    yield* VirtualClock.pass("20 seconds")
    const { executionId, resource } = yield* operator.status(key)
    assert.strictEqual(resource, "a\ufffdb\ufffdc")
    yield* store.wake(executionId)
    yield* store.runners.leave(1)
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
    for (const [name, seconds, expected] of [
      ["before the body waits", -1, "true"],
      ["while it waits", 30, "true"],
      ["after the deadline", 90, "none"]
    ] as const) {
      effect(`that is sent ${name}`, function* () {
        const body = Effect.gen(function* () {
          const sent = yield* Durable.signal({
            name: "approval",
            success: Schema.Boolean,
            deadline: "1 minute"
          })
          yield* note(Option.match(sent, { onNone: () => "none", onSome: String }))
          yield* Durable.sleep("two minutes", "2 minutes")
          yield* note("again")
        })
        done.length = 0
        const store = yield* make
        const context = yield* on(store, body)
        const operator = yield* Effect.provide(Operator.of(Trip), context)
        const send = Effect.provide(approve(key), context)
        if (seconds < 0) yield* send
        yield* operator.start({ key })
        yield* VirtualClock.pass(`${Math.max(1, seconds)} seconds`)
        if (seconds > 0) yield* send
        yield* VirtualClock.pass("10 seconds")
        assert.deepStrictEqual(done, [expected])
        yield* VirtualClock.pass("4 minutes")
        assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
        assert.deepStrictEqual(done, [expected, "again"])
      })
    }
  })

  effect("a pause begins at the last stored step, also if time was set back", function* () {
    let behindMillis = 0
    let runs = 0
    const setBack = Effect.map(make, (store): engineStore.EngineStore => {
      const now = Effect.map(store.runners.now, (now) => now - behindMillis)
      return { ...store, runners: { ...store.runners, now } }
    })
    const body = Effect.gen(function* () {
      yield* note("a")
      if (++runs === 1) behindMillis = 3_600_000
      yield* Durable.sleep("a minute", "1 minute")
      yield* note("b")
    })
    const { operator } = yield* started(setBack, body)
    yield* VirtualClock.pass("30 seconds")
    assert.deepStrictEqual(done, ["a"])
    behindMillis = 0
    yield* VirtualClock.pass("1 minute")
    assert.deepStrictEqual(done, ["a", "b"])
    assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
  })

  effect("a pause ends at a whole millisecond, which every store keeps", function* () {
    const body = Durable.sleep("a third of a minute", Duration.times("1 second", 61 / 3))
    const { operator, store } = yield* started(make, body)
    yield* VirtualClock.pass("1 second")
    const { executionId } = yield* operator.status(key)
    const { clocks } = yield* Effect.flatten(store.read(executionId))
    assert.deepStrictEqual(Object.values(clocks).map(Number.isInteger), [true])
  })

  effect("an interrupt does not reach the execution that a compensation awaits", function* () {
    const paid = Durable.compensate(note("pay", 5), () => Effect.orDie(hotel))
    const body = Durable.compensating(Effect.zipRight(paid, sleep))
    const { context, operator } = yield* started(make, body)
    yield* VirtualClock.pass("1 second")
    yield* operator.interrupt(key)
    yield* VirtualClock.pass("1 minute")
    assert.strictEqual((yield* operator.status(key)).state, "Failed")
    const hotels = yield* Effect.provide(Operator.of(Hotel), context)
    const { isCancelRequested, state } = yield* hotels.status(key)
    assert.deepStrictEqual([state, isCancelRequested], ["Succeeded", false])
  })

  effect("a resume while the body runs is not lost", function* () {
    let runs = 0
    const fails = Effect.suspend(() => (++runs === 1 ? Effect.fail("not yet") : Effect.void))
    const { operator } = yield* started(make, Effect.zipRight(note("slow", 10), fails), Patient)
    yield* VirtualClock.pass("2 seconds")
    yield* operator.resume(key)
    yield* VirtualClock.pass("1 minute")
    assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
  })

  effect("a body that waits after a failure says why", function* () {
    const { context, operator } = yield* started(make, Effect.die(new Error("no seat")), Patient)
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

  effect("a body that fails after an interrupt waits for no resume", function* () {
    const fails = Effect.zipRight(note("slow", 10), Effect.fail("no seat"))
    const { operator } = yield* started(make, fails, Patient)
    yield* VirtualClock.pass("2 seconds")
    yield* operator.interrupt(key)
    yield* VirtualClock.pass("1 minute")
    assert.strictEqual((yield* operator.status(key)).state, "Failed")
  })

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

    for (const [where, body, steps, tries] of [
      ["in an activity", poison("a"), ["a/1"], 13],
      // After three lives, one of them is tried in each.
      ["in activities beside each other", all(poison("a"), poison("b")), ["a/1", "b/1"], 16]
    ] satisfies ReadonlyArray<readonly [string, Body, ReadonlyArray<string | undefined>, number]>) {
      for (const [cause, what, ends] of [
        ["a resume", "resume", false],
        ["an interrupt", "interrupt", true]
      ] as const) {
        effect(`${where} is parked after its lives, and ${cause} tries it again`, function* () {
          begun.length = 0
          const { operator, store } = yield* started(make, Effect.zipRight(note("first"), body))
          yield* dies(store, 19)
          assert.lengthOf(begun, tries)
          const parked = yield* operator.status(key)
          assert.deepInclude(parked, { pause: "parked", state: "Waiting", deaths: 13 })
          assert.include(steps, parked.step)
          yield* operator[what](key)
          yield* dies(store, 19)
          assert.lengthOf(begun, ends ? tries : 2 * tries)
          assert.strictEqual((yield* operator.status(key)).state, ends ? "Failed" : "Waiting")
          assert.deepStrictEqual(done, ["first"])
        })
      }
    }

    effect("in its body, such as that of a long batch, is tried in each life", function* () {
      begun.length = 0
      const { operator, store } = yield* started(make, deadly)
      yield* dies(store, 19)
      assert.lengthOf(begun, 20)
      assert.strictEqual((yield* operator.status(key)).state, "Running")
    })

    effect("lets others go on that its process ran", function* () {
      begun.length = 0
      const { context, operator, store } = yield* started(make, poison("a"))
      const hotels = yield* Effect.provide(Operator.of(Hotel), context)
      const keys = ["1", "2", "3", "4", "5"]
      yield* Effect.forEach(keys, (key) => hotels.start({ key }))
      const open = Effect.map(
        store.list({ states: ["Running", "Waiting"] }, undefined, 10),
        (all) => all.map(({ businessKey }) => businessKey)
      )
      for (let life = 0; life < 18; life++) {
        const before = begun.length
        for (let seconds = 0; seconds < 40 && begun.length === before; seconds++) {
          yield* VirtualClock.pass("1 second")
        }
        for (const { executionId } of yield* store.list({}, undefined, 10)) {
          yield* store.modify(executionId, (one) =>
            one.runner === undefined ? one : transitions.died(one)
          )
        }
      }
      assert.deepStrictEqual(yield* open, [key])
      assert.strictEqual((yield* operator.status(key)).pause, "parked")
      assert.lengthOf(begun, 13)
    })

    effect("keeps its turn until its result is stored", function* () {
      const stored = yield* Effect.makeLatch(true)
      const keeps = Effect.map(make, (store): engineStore.EngineStore => ({
        ...store,
        storeStep: (id, runner, step) => stored.whenOpen(store.storeStep(id, runner, step))
      }))
      const { operator, store } = yield* started(keeps, all(note("a", 5), note("b", 5)))
      yield* dies(store, 3)
      yield* stored.close
      yield* VirtualClock.pass("10 seconds")
      assert.lengthOf(done, 1)
      yield* stored.open
      yield* VirtualClock.pass("10 seconds")
      assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
      assert.lengthOf(done, 2)
    })

    effect("is tried again by a resume that comes while it is parked once more", function* () {
      const { operator, store } = yield* started(make, poison("a"))
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

    effect("is not parked while it comes forward", function* () {
      const steps = Array.from({ length: 15 }, (_, i) => note(`step ${i}`, 2))
      const { operator, store } = yield* started(make, Effect.all(steps, { discard: true }))
      yield* dies(store, 15)
      yield* VirtualClock.pass("1 minute")
      assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
    })
  })
}
