/** What each store of executions does. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Encoding from "../../src/Encoding.js"
import type { Steps } from "@manilla/test-support/Steps"
import type * as Execution from "../../src/Execution.js"
import type * as engineStore from "../../src/internal/engineStore.js"
import * as transitions from "../../src/internal/transitions.js"
import type * as Store from "../../src/Store.js"
import * as executions from "./executions.js"

export const execution = (runner: number | undefined, id = "42"): Execution.Execution => ({
  ...executions.execution,
  businessKey: `order-${id}`,
  executionId: `id-${id}`,
  runner
})

/** Tests a store that is empty. */
export const test = <E, R>(
  make: Effect.Effect<engineStore.EngineStore, E, R | Scope.Scope>,
  define: (name: string, test: () => Effect.Effect<unknown, unknown, R | Scope.Scope>) => void
) => {
  const effect = (name: string, steps: () => Steps<R | Scope.Scope>) =>
    define(name, () => Effect.gen(steps))

  effect("keeps the first result of a step, and none but its owner's", function* () {
    const { insert, modify, runners, steps, storeStep } = yield* make
    const owner = yield* runners.join
    const other = yield* runners.join
    yield* insert(execution(owner))
    const result = (exit: string, storedMillis = 2) => ({ name: "pay/1", exit, storedMillis })
    const kept = { exit: "first", isCancelRequested: false }
    assert.deepStrictEqual(yield* Effect.flatten(storeStep("id-42", owner, result("first"))), kept)
    assert.deepStrictEqual(
      yield* Effect.flatten(storeStep("id-42", owner, result("second", 3))),
      kept
    )
    assert.isTrue(Option.isNone(yield* storeStep("id-42", other, result("third"))))
    assert.deepStrictEqual(yield* steps("id-42"), [result("first")])

    yield* modify("id-42", (stored) => ({ ...stored, isCancelRequested: true }))
    const after = yield* Effect.flatten(
      storeStep("id-42", owner, { ...result("done"), name: "ship/1" })
    )
    assert.deepStrictEqual(after, { exit: "done", isCancelRequested: true })
  })

  effect("keeps the largest texts, of characters that a statement escapes twice", function* () {
    const { insert, modify, read, runners, steps, storeStep } = yield* make
    const owner = yield* runners.join
    const text = "\\".repeat(Encoding.mostBytes)
    yield* insert({ ...execution(owner), payload: text })
    yield* storeStep("id-42", owner, { name: "pay/1", exit: text, storedMillis: 2 })
    yield* modify("id-42", (stored) => ({ ...stored, exit: text }), owner)
    const stored = yield* Effect.flatten(read("id-42"))
    const texts = [stored.payload, stored.exit, (yield* steps("id-42"))[0]?.exit]
    assert.isTrue(texts.every((it) => it === text))
  })

  effect("changes an execution for its owner only", function* () {
    const { insert, modify, read, runners } = yield* make
    const owner = yield* runners.join
    const other = yield* runners.join
    yield* insert(execution(owner))
    const named = (resource: string) => (stored: Execution.Execution) => ({ ...stored, resource })
    assert.isTrue(Option.isNone(yield* modify("id-42", named("PO-2"), other)))
    assert.isTrue(Option.isSome(yield* modify("id-42", named("PO-1"), owner)))
    const stored = yield* Effect.flatten(read("id-42"))
    assert.deepInclude(stored, { resource: "PO-1", runner: owner, payload: execution(1).payload })
  })

  effect("returns the first execution under an id", function* () {
    const { find, insert } = yield* make
    const first = execution(undefined)
    assert.isTrue(Option.isNone(yield* insert(first)))
    const earlier = yield* Effect.flatten(insert({ ...first, payload: "{}" }))
    assert.strictEqual(earlier.payload, first.payload)
    assert.isTrue(Option.isSome(yield* find(first)))
    assert.isTrue(Option.isNone(yield* find({ ...first, workflow: "Shop/Other/1" })))
  })

  effect("keeps the first signal of a name, unless the execution has ended", function* () {
    const { forgetSignals, insert, signal, steps } = yield* make
    yield* insert(execution(undefined, "open"))
    yield* insert(execution(7, "runs"))
    const end = { state: "Succeeded", atMillis: 2 } as const
    yield* insert({ ...execution(undefined, "ended"), end })
    yield* insert(transitions.purged({ ...execution(undefined, "purged"), end }))
    const sent = { name: "deferred/approval", exit: "yes", storedMillis: 5 }
    const kept = (signals: Readonly<Record<string, ReadonlyArray<Store.Step>>>) =>
      Effect.forEach(Object.entries(signals), ([id, all]) =>
        Effect.map(steps(`id-${id}`), (found) => assert.deepStrictEqual(found, all, id))
      )
    for (const id of ["open", "runs", "ended", "purged", "unknown"]) {
      yield* signal(`id-${id}`, sent)
      yield* signal(`id-${id}`, { ...sent, exit: "no" })
    }
    yield* signal("id-unknown", { ...sent, name: "deferred/later", storedMillis: 6 })
    const later = [{ ...sent, name: "deferred/later", storedMillis: 6 }]
    const known = { open: [sent], runs: [sent], ended: [], purged: [] }
    yield* kept({ ...known, unknown: [sent, ...later] })
    yield* forgetSignals(6)
    yield* kept({ ...known, unknown: later })
  })

  effect("notes each wake of an execution that has not ended, and keeps the rest", function* () {
    const { insert, read, wake } = yield* make
    const clocks = { "wait/pay/0": 9_007_199_254_740_991, 'é"\\': 0.5 }
    const open = { ...execution(3), clocks, resource: "PO-1" }
    const end = { state: "Succeeded", atMillis: 2 } as const
    yield* insert({ ...open, dueMillis: 9 })
    yield* insert({ ...execution(undefined, "ended"), dueMillis: 9, end })
    for (const id of ["id-42", "id-ended", "id-unknown", "id-42"]) yield* wake(id)
    const { businessKey, payload, resource, runner } = open
    const same = { businessKey, clocks, payload, resource, runner }
    const woken = yield* Effect.flatten(read("id-42"))
    assert.deepInclude(woken, { ...same, wakes: 2, dueMillis: 0 })
    const ended = yield* Effect.flatten(read("id-ended"))
    assert.deepInclude(ended, { wakes: 0, dueMillis: 9, end })
  })

  effect("tells a run that ends of the wakes beside it", function* () {
    const { insert, modify, read, runners, wake } = yield* make
    const owner = yield* runners.join
    yield* insert(execution(owner))
    const wait = { pause: "signal", dueMillis: 9 }
    const suspend = modify("id-42", transitions.suspended(wait, {}, 0), owner)
    const wakes = Effect.replicateEffect(wake("id-42"), 100, { concurrency: "unbounded" })
    yield* Effect.all([wakes, suspend], { concurrency: "unbounded" })
    const stored = yield* Effect.flatten(read("id-42"))
    assert.deepInclude(stored, { runner: undefined, pause: "signal", dueMillis: 0 })
  })

  effect("gives a runner what is due, has not ended, and has no owner", function* () {
    const { insert, runners, take } = yield* make
    const owner = yield* runners.join
    const other = yield* runners.join
    const due = execution(undefined, "due")
    yield* insert(due)
    yield* insert({ ...execution(undefined, "first"), dueMillis: 0 })
    yield* insert(execution(other, "owned"))
    yield* insert({ ...execution(undefined, "late"), dueMillis: 9 })
    yield* insert({ ...execution(undefined, "other"), workflow: "Shop/Other/1" })
    const end = { state: "Succeeded", atMillis: 2 } as const
    yield* insert({ ...execution(undefined, "ended"), end })
    const taken = (runner: number) =>
      Effect.map(take(runner, [due.workflow], 5, 1), ({ taken }) =>
        taken.map(({ executionId, runner }) => [executionId, runner])
      )
    // One that was taken for dead gets nothing.
    assert.deepStrictEqual(yield* taken(99), [])
    assert.deepStrictEqual(yield* taken(owner), [["id-first", owner]])
    assert.deepStrictEqual(yield* taken(owner), [["id-due", owner]])
    assert.deepStrictEqual(yield* taken(other), [])
  })

  effect("frees what a runner had, and counts its death but not its end", function* () {
    const { insert, owned, read, runners } = yield* make
    const [ends, lives, dead] = [yield* runners.join, yield* runners.join, 99]
    // The deaths before, and after a death: a suspect is counted in its turn only.
    const counts = [
      [0, 1],
      [2, 3],
      [3, 3],
      [12, 12]
    ] as const
    const give = (runner: number) =>
      Effect.gen(function* () {
        const end = { state: "Succeeded", atMillis: 2 } as const
        yield* insert({ ...execution(runner, `${runner}-ended`), end })
        for (const [deaths] of counts) {
          yield* insert({ ...execution(runner, `${runner}-${deaths}`), deaths, dueMillis: 9 })
        }
      })
    const isFreed = (runner: number, before: number, deaths: number) =>
      Effect.gen(function* () {
        const found = yield* Effect.flatten(read(`id-${runner}-${before}`))
        assert.deepInclude(found, { runner: undefined, dueMillis: 0, deaths })
      })
    yield* give(ends)
    yield* give(lives)
    yield* runners.leave(ends)
    for (const [before] of counts) yield* isFreed(ends, before, 0)
    yield* give(dead)
    const ended = [`id-${ends}-ended`, `id-${dead}-ended`]
    assert.sameMembers([...(yield* runners.reap(lives))], ended)
    for (const [before, after] of counts) yield* isFreed(dead, before, after)
    assert.lengthOf(yield* owned(lives), counts.length + 1)
  })

  effect("takes no execution away from a runner that is given it during a change", function* () {
    const { insert, modify, read, runners, take } = yield* make
    const runner = yield* runners.join
    const waiting = { ...execution(undefined), pause: "signal" }
    yield* insert(waiting)
    const change = modify("id-42", transitions.interrupted)
    yield* Effect.all([change, take(runner, [waiting.workflow], 5, 1)], { concurrency: 2 })
    const stored = yield* Effect.flatten(read("id-42"))
    assert.deepInclude(stored, { runner, isCancelRequested: true, pause: undefined })
  })

  effect("selects executions by name, state and age", function* () {
    const { insert, list, open } = yield* make
    const idOf = ({ executionId }: Execution.Execution) => executionId
    const runs = execution(undefined, "runs")
    const waits = { ...execution(undefined, "waits"), startedMillis: 2, pause: "signal" }
    const ended = (id: string, state: Execution.EndState, atMillis: number) => ({
      ...execution(undefined, id),
      startedMillis: atMillis - 1,
      end: { state, atMillis }
    })
    const succeeded = ended("succeeded", "Succeeded", 4)
    const purged = transitions.purged(ended("purged", "Died", 5))
    for (const one of [runs, waits, succeeded, purged]) yield* insert(one)
    for (const [filter, selected] of [
      [{}, [runs, waits, succeeded, purged]],
      [{ workflow: "Shop/Other/1" }, []],
      [{ businessKey: "order-waits" }, [waits]],
      [{ states: [] }, []],
      [{ states: ["Running", "Died"] }, [runs, purged]],
      [{ states: ["Waiting", "Succeeded"] }, [waits, succeeded]],
      [{ startedBeforeMillis: 2 }, [runs]],
      [{ startedFromMillis: 2, startedBeforeMillis: 4 }, [waits, succeeded]],
      [{ isNewestFirst: true }, [purged, succeeded, waits, runs]],
      [{ endedBeforeMillis: 5 }, [succeeded]],
      [{ isPurged: true }, [purged]],
      [{ isPurged: false, endedBeforeMillis: 9 }, [succeeded]]
    ] as ReadonlyArray<readonly [Store.Filter, ReadonlyArray<Execution.Execution>]>) {
      const listed = yield* list(filter, undefined, 10)
      assert.deepStrictEqual(listed.map(idOf), selected.map(idOf))
    }
    const counts = { running: 1, waiting: 1, oldestMillis: 1 }
    assert.deepInclude((yield* open).get(runs.workflow), counts)
  })

  effect("lists executions with one key in pages, each of them once", function* () {
    const { insert, list } = yield* make
    const ids = ["id-1", "id-2", "id-3"]
    for (const executionId of ids) yield* insert({ ...execution(undefined), executionId })
    let after: Execution.Execution | undefined
    for (const executionId of ids) {
      after = (yield* list({}, after, 1))[0]
      assert.strictEqual(after?.executionId, executionId)
    }
    assert.deepStrictEqual(yield* list({}, after, 1), [])
    for (const executionId of ids.slice(0, 2).reverse()) {
      after = (yield* list({ isNewestFirst: true }, after, 1))[0]
      assert.strictEqual(after?.executionId, executionId)
    }
  })
}
