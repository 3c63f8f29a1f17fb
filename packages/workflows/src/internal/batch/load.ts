import type * as Errors from "@manilla/core/Errors"
import * as Issues from "@manilla/core/Issues"
import type * as Batches from "@manilla/workflow-engine/Batches"
import { differences } from "@manilla/workflow-engine/Encoding"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Stream from "effect/Stream"
import * as Batch from "../../Batch.js"
import { Key } from "../key.js"
import { mostShown } from "./mostShown.js"
import { workflowName } from "./rules.js"

const itemsPerStatement = 1_000

const encodeItem = ParseResult.encodeEither(Batch.Item, { errors: "all" })
const issuesOfKey = Issues.validator(Key, ["batchKey"])

export const purged = (businessKey: string, { ended }: Pick<Batches.Stored, "ended">) =>
  new Execution.ExecutionPurged({
    workflow: workflowName,
    businessKey,
    state: "Succeeded",
    endedMillis: ended ?? 0
  })

const overtaken = (batchKey: string) =>
  new Execution.StorageError({
    operation: `store the batch ${batchKey}`,
    cause: new Error("another call stores it at the same time")
  })

/**
 * Reads valid items in groups, and fails in the end if a row breaks a rule. `duplicate` notes a row with the key of an
 * earlier row.
 */
const readAll = <E, R, E2>(
  batchKey: string,
  items: Stream.Stream<Batch.Item, E, R>,
  read: (
    group: ReadonlyArray<Batches.NewItem>,
    duplicate: (number: number, first: number) => void
  ) => Effect.Effect<void, E2>
) =>
  Effect.gen(function* () {
    const issues: Array<Errors.Issue> = []
    let rows = 0
    const refuse = (broken: ReadonlyArray<Errors.Issue>) => {
      if (rows++ < mostShown) issues.push(...broken)
    }
    const valid = ([item, number]: readonly [Batch.Item, number]): ReadonlyArray<Batches.NewItem> =>
      Either.match(encodeItem(item), {
        onLeft: (issue) => {
          refuse(Issues.fromParseIssue(issue, ["items", String(number)]))
          return []
        },
        onRight: ({ key, request }) => [{ number, key, request: JSON.stringify(request) }]
      })
    const duplicate = (number: number, first: number) =>
      refuse([{ field: `items.${number}.key`, rule: `must differ from the key of items.${first}` }])
    yield* items.pipe(
      Stream.zipWithIndex,
      Stream.grouped(itemsPerStatement),
      Stream.runForEach((group) => read(Chunk.toReadonlyArray(group).flatMap(valid), duplicate))
    )
    if (rows > 0) return yield* new Batch.InvalidItems({ batchKey, rows, issues })
  })

const byKey = (table: Batches.Service, batchKey: string, items: ReadonlyArray<Batches.NewItem>) =>
  Effect.map(
    table.read(batchKey, { keys: items.map(({ key }) => key) }, items.length),
    (stored) => new Map(stored.map((item) => [item.key, item]))
  )

/** Stores the items of a new batch, and returns their number. Nothing is sent before that. */
const storeAll = <E, R>(
  table: Batches.Service,
  batchKey: string,
  epoch: number,
  items: Stream.Stream<Batch.Item, E, R>
) =>
  Effect.gen(function* () {
    let total = 0
    // An earlier call may have stopped halfway.
    yield* table.clear(batchKey, epoch)
    yield* readAll(batchKey, items, (group, duplicate) =>
      Effect.gen(function* () {
        const added = new Set(yield* table.add(batchKey, epoch, group))
        total += added.size
        const others = group.filter(({ number }) => !added.has(number))
        if (others.length === 0) return
        const stored = yield* byKey(table, batchKey, others)
        // After that: the rows are not those of another call.
        const now = Option.getOrThrow(yield* table.find(batchKey))
        if (now.epoch !== epoch) return yield* overtaken(batchKey)
        for (const { key, number } of others) {
          duplicate(number, stored.get(key)?.number ?? number)
        }
      })
    )
    if (total > 0) return total
    const issues = [{ field: "items", rule: "must not be empty" }]
    return yield* new Batch.InvalidItems({ batchKey, rows: 1, issues })
  })

/** How items differ from those of a stored batch, in any order: the first differences. */
const differencesFrom = <E, R>(
  table: Batches.Service,
  batchKey: string,
  total: number,
  items: Stream.Stream<Batch.Item, E, R>
) =>
  Effect.gen(function* () {
    const issues: Array<Errors.Issue> = []
    const add = (field: string, rule: string) => {
      if (issues.length < mostShown) issues.push({ field, rule })
    }
    /** By the number of a stored item: the row with its key, counted from 1. */
    const rows = new Uint32Array(total)
    yield* readAll(batchKey, items, (group, duplicate) =>
      Effect.map(byKey(table, batchKey, group), (stored) => {
        for (const { key, number, request } of group) {
          const item = stored.get(key)
          if (item === undefined) {
            add(key, "was added")
            continue
          }
          const first = rows[item.number] ?? 0
          if (first > 0) duplicate(number, first - 1)
          rows[item.number] = number + 1
          if (item.request === request) continue
          const differs = differences(JSON.parse(item.request), JSON.parse(request))
          if (differs.length > 0) add(key, `has another ${differs.join(" and ")}`)
        }
      })
    )
    const numbers = [...rows.keys()].filter((number) => rows[number] === 0).slice(0, mostShown)
    const missing = yield* table.read(batchKey, { numbers }, mostShown)
    for (const { key } of missing) add(key, "is missing")
    return issues
  })

/**
 * Stores a batch and begins it, or finds it with the same items. Its execution is stored before it is running, so that
 * no process dies in between and leaves a batch that nobody runs.
 */
export const load = <E, R, E2, R2>(
  table: Batches.Service,
  batchKey: string,
  items: Stream.Stream<Batch.Item, E, R>,
  begin: Effect.Effect<void, E2, R2>
) =>
  Effect.gen(function* () {
    const issues = issuesOfKey(batchKey)
    if (issues.length > 0) return yield* new Batch.InvalidItems({ batchKey, rows: 0, issues })
    yield* table.insert(batchKey, yield* Clock.currentTimeMillis)
    const unlessPurged = Effect.flatMap(
      Effect.map(table.find(batchKey), Option.getOrThrow),
      (it) => (it.phase === "purged" ? Effect.fail(purged(batchKey, it)) : Effect.succeed(it))
    )
    const { epoch, phase, total } = yield* unlessPurged
    if (phase !== "storing") {
      const differs = yield* differencesFrom(table, batchKey, total, items)
      // A batch that was purged meanwhile has no items.
      yield* unlessPurged
      if (differs.length > 0) return yield* new Batch.ItemsDiffer({ batchKey, issues: differs })
      if (phase !== "ended") yield* begin
      return
    }
    /** Changes the batch while no other call stores it. */
    const change = (epoch: number, to: Partial<Batches.Stored>) =>
      Effect.gen(function* () {
        const isOwn = yield* table.change(batchKey, to, { epoch, phases: ["storing"] })
        if (!isOwn) return yield* overtaken(batchKey)
      })
    const own = epoch + 1
    yield* change(epoch, { epoch: own })
    // All items are stored, or none.
    const stored = yield* Effect.onError(storeAll(table, batchKey, own, items), () =>
      Effect.ignore(table.clear(batchKey, own))
    )
    yield* begin
    yield* change(own, { total: stored, phase: "running" })
  })
