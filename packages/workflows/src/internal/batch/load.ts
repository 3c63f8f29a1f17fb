import * as Errors from "@manilla/core/Errors"
import * as Issues from "@manilla/core/Issues"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Batch from "../../Batch.js"
import * as Execution from "../../Execution.js"
import { differences } from "../differences.js"
import type * as Table from "./Table.js"

const itemsPerStatement = 1_000

/** The most rows or keys that an error names. */
const shown = 100

/**
 * A row of the batch breaks a rule, such as one with the key of an earlier one. Nothing was started or sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidItems extends Schema.TaggedError<InvalidItems>(
  "@manilla/workflows/InvalidItems"
)("InvalidItems", {
  batchKey: Schema.String,
  /** The number of rows that break a rule. */
  rows: Schema.Int,
  /** The issues of the first hundred of them, such as `items.17.request.amount`. Rows are counted from 0. */
  issues: Schema.Array(Errors.Issue)
}) {
  override get message(): string {
    const more = this.rows > shown ? `; and ${this.rows - shown} more rows` : ""
    return `nothing was started for the batch ${JSON.stringify(this.batchKey)}: ${Issues.print(this.issues)}${more}`
  }
}

/**
 * The batch key already belongs to a batch with other items. Nothing was started or sent. Each list has the first
 * hundred items.
 *
 * @since 0.1.0
 * @category errors
 */
export class ItemsDiffer extends Schema.TaggedError<ItemsDiffer>("@manilla/workflows/ItemsDiffer")(
  "ItemsDiffer",
  {
    batchKey: Schema.String,
    /** The keys of items that the stored batch does not have. */
    added: Schema.Array(Schema.String),
    /** The keys of items that only the stored batch has. */
    missing: Schema.Array(Schema.String),
    /** Items with another request, and its members that differ, without their values. */
    changed: Schema.Array(
      Schema.Struct({ key: Schema.String, differs: Schema.Array(Schema.String) })
    )
  }
) {
  override get message(): string {
    const changed = this.changed.map(({ differs, key }) => `${key}: ${differs.join(" and ")}`)
    const parts = Object.entries({ added: this.added, missing: this.missing, changed })
      .filter(([, names]) => names.length > 0)
      .map(([label, names]) => {
        const count = names.length < shown ? names.length : `${shown} or more`
        return `${count} ${label} (${names.slice(0, 5).join(", ")}${names.length > 5 ? ", ..." : ""})`
      })
    return `the batch ${this.batchKey} was started with other items: ${parts.join("; ")}. Nothing was sent. Pay other items under another batch key.`
  }
}

const encodeItem = ParseResult.encodeEither(Batch.Item, { errors: "all" })
const encodeKey = ParseResult.encodeEither(Execution.BusinessKey)

/** The first hundred of a list that may be long. */
const push = <A>(list: Array<A>, ...more: ReadonlyArray<A>) =>
  void list.push(...more.slice(0, Math.max(0, shown - list.length)))

/** Rows that break a rule. */
const makeIssues = () => {
  const issues: Array<Errors.Issue> = []
  let rows = 0
  const add = (found: ReadonlyArray<Errors.Issue>) => {
    if (rows++ < shown) issues.push(...found)
  }
  return {
    add,
    addDouble: (number: number, first: number) =>
      add([{ field: `items.${number}.key`, rule: `must differ from the key of items.${first}` }]),
    check: (batchKey: string) =>
      rows === 0 ? Effect.void : Effect.fail(new InvalidItems({ batchKey, rows, issues }))
  }
}

type RowIssues = ReturnType<typeof makeIssues>

/** Groups of valid items. Issues of the others are noted. */
const validItems = <E, R>(items: Stream.Stream<Batch.Item, E, R>, issues: RowIssues) => {
  const valid = (item: Batch.Item, number: number): ReadonlyArray<Table.NewItem> =>
    Either.match(encodeItem(item), {
      onLeft: (issue) => {
        issues.add(Issues.fromParseIssue(issue, ["items", String(number)]))
        return []
      },
      onRight: ({ key, request }) => [{ number, key, request: JSON.stringify(request) }]
    })
  return items.pipe(
    Stream.zipWithIndex,
    Stream.grouped(itemsPerStatement),
    Stream.map((group) =>
      Chunk.toReadonlyArray(group).flatMap(([item, number]) => valid(item, number))
    )
  )
}

/** Stores the items of a new batch: all of them, or none. Nothing is sent before that. */
const storeAll = <E, R>(
  table: Table.Service,
  batchKey: string,
  epoch: number,
  items: Stream.Stream<Batch.Item, E, R>
) =>
  Effect.gen(function* () {
    const issues = makeIssues()
    let total = 0
    // An earlier call may not have come to its end.
    yield* table.clear(batchKey, epoch)
    yield* Stream.runForEach(validItems(items, issues), (group) =>
      Effect.gen(function* () {
        const added = new Set(yield* table.add(batchKey, epoch, group))
        total += group.length
        const others = group.filter(({ number }) => !added.has(number))
        if (others.length === 0) return
        const keys = others.map(({ key }) => key)
        const stored = yield* table.read(batchKey, { keys }, keys.length)
        const firsts = new Map(stored.map(({ key, number }) => [key, number]))
        for (const { key, number } of others) {
          const first = firsts.get(key) ?? number
          if (first === number) return yield* overtaken(batchKey)
          issues.addDouble(number, first)
        }
      })
    )
    yield* issues.check(batchKey)
    if (total === 0) issues.add([{ field: "items", rule: "must not be empty" }])
    yield* issues.check(batchKey)
    const stored = yield* table.change(batchKey, { total }, epoch)
    if (Option.isNone(stored)) return yield* overtaken(batchKey)
  }).pipe(Effect.onError(() => Effect.ignore(table.clear(batchKey, epoch))))

const overtaken = (batchKey: string) =>
  new Execution.StorageError({
    operation: `store the batch ${batchKey}`,
    cause: new Error("another call stores it at the same time")
  })

export const purged = (workflow: string, businessKey: string, { endedMillis = 0 }: Table.Stored) =>
  new Execution.ExecutionPurged({ workflow, businessKey, state: "Succeeded", endedMillis })

/** Fails unless a batch has the same items, in any order. */
const compareAll = <E, R>(
  table: Table.Service,
  batchKey: string,
  total: number,
  items: Stream.Stream<Batch.Item, E, R>
) =>
  Effect.gen(function* () {
    const issues = makeIssues()
    const added: Array<string> = []
    const missing: Array<string> = []
    const changed: Array<(typeof ItemsDiffer.Type)["changed"][number]> = []
    /** By number, one more than the number of the row that has the key of the item. */
    const seen = new Uint32Array(total)
    yield* Stream.runForEach(validItems(items, issues), (group) =>
      Effect.gen(function* () {
        const keys = group.map(({ key }) => key)
        const stored = yield* table.read(batchKey, { keys }, keys.length)
        const byKey = new Map(stored.map((item) => [item.key, item]))
        for (const { key, number, request } of group) {
          const item = byKey.get(key)
          if (item === undefined) {
            push(added, key)
            continue
          }
          const first = seen[item.number] ?? 0
          if (first > 0) issues.addDouble(number, first - 1)
          seen[item.number] = number + 1
          const differs =
            item.request === request
              ? []
              : differences(JSON.parse(item.request), JSON.parse(request))
          if (differs.length > 0) push(changed, { key, differs })
        }
      })
    )
    yield* issues.check(batchKey)
    const unseen: Array<number> = []
    for (const [number, row] of seen.entries()) if (row === 0) push(unseen, number)
    if (unseen.length > 0) {
      const items = yield* table.read(batchKey, { numbers: unseen }, shown)
      push(missing, ...items.map(({ key }) => key))
    }
    if (added.length + missing.length + changed.length > 0) {
      return yield* new ItemsDiffer({ batchKey, added, missing, changed })
    }
  })

/** Stores a batch, or finds it with the same items. */
export const load = <E, R>(
  table: Table.Service,
  workflow: string,
  batchKey: string,
  items: Stream.Stream<Batch.Item, E, R>
) =>
  Effect.gen(function* () {
    yield* Effect.mapError(encodeKey(batchKey), (issue) => {
      const issues = Issues.fromParseIssue(issue, ["batchKey"])
      return new InvalidItems({ batchKey, rows: 0, issues })
    })
    yield* table.insert(batchKey, yield* Clock.currentTimeMillis)
    const stored = Option.getOrThrow(yield* table.find(batchKey))
    const { epoch, total } = stored
    if (stored.isPurged) return yield* purged(workflow, batchKey, stored)
    if (total !== undefined) return yield* compareAll(table, batchKey, total, items)
    const claimed = yield* table.change(batchKey, { epoch: epoch + 1 }, epoch)
    if (Option.isNone(claimed)) return yield* overtaken(batchKey)
    yield* storeAll(table, batchKey, epoch + 1, items)
  })
