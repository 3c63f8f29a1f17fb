import * as Issues from "@manilla/core/Issues"
import type * as Execution from "@manilla/workflow-engine/Execution"
import * as Store from "@manilla/workflow-engine/Store"
import { Storable } from "@manilla/workflow-engine/Text"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as batch from "../batch/operate.js"
import { workflowName } from "../batch/rules.js"
import { type Expected, type Found, noItems, refused, toAnswer, toRefused } from "./answers.js"
import * as items from "./items.js"
import * as reports from "./reports.js"
import { itemStates, states } from "./states.js"
import * as words from "./words.js"

const Limit = Schema.NumberFromString.pipe(Schema.int(), Schema.positive())

/** The inputs of all operations, as text from a command line or a URL. */
const Input = Schema.Struct({
  key: Schema.optionalWith(Storable, { default: () => "" }),
  workflow: Schema.optional(Storable),
  state: Schema.optionalWith(Schema.Literal(...Record.keys(states)), { default: () => "open" }),
  limit: Schema.optionalWith(Limit, { default: () => 100 }),
  only: Schema.optionalWith(Schema.Literal(...Record.keys(itemStates)), {
    default: () => "unpaid"
  }),
  item: Schema.optional(Storable),
  since: Schema.optional(Schema.Date),
  before: Schema.optional(Schema.Date),
  failure: Schema.optional(Schema.String),
  newest: Schema.optionalWith(Schema.BooleanFromString, { default: () => false }),
  batches: Schema.optionalWith(Schema.BooleanFromString, { default: () => false }),
  after: Schema.optional(Schema.NumberFromString.pipe(Schema.int(), Schema.nonNegative())),
  reveal: Schema.optionalWith(Schema.BooleanFromString, { default: () => false })
})
type Input = typeof Input.Type

export interface Operation {
  readonly about: string
  readonly takes: ReadonlyArray<keyof Input>
  readonly isChange?: boolean
  /** The columns of its table, and their widths. Without them, it has a text of its own. */
  readonly columns?: Readonly<Record<string, number>>
  readonly answer: (store: Store.Store, input: Input) => Effect.Effect<Found, Expected>
}

/** The executions with a key, in all workflows. */
const executionsOf = ({ batches, list }: Store.Store, { key, workflow }: Input) =>
  Effect.gen(function* () {
    const all = yield* list({ businessKey: key, workflow }, undefined, 100)
    if (Arr.isNonEmptyReadonlyArray(all)) return all
    const batch = yield* batches.find(key)
    if (Option.exists(batch, ({ phase }) => phase === "storing")) return yield* noItems
    const where = workflow === undefined ? "" : ` in ${workflow}`
    const message = `no execution or batch has the key ${JSON.stringify(key)}${where}. Correct the key: \`list --state all\` prints those that there are.`
    return yield* refused(404, message)
  })

/** The executions with a key, their history, and the processes that carry on with them. */
const show = (store: Store.Store, input: Input) =>
  Effect.gen(function* () {
    const executions = yield* executionsOf(store, input)
    const runners = yield* store.runners
    const all = yield* Effect.forEach(executions, (one) =>
      reports.reportOf(store, one, runners, input.reveal)
    )
    const next = all.some(({ ended }) => ended === undefined) ? [words.runners(runners)] : []
    const rows = Stream.fromIterable(all)
    return { rows, text: Stream.fromIterable([...all.flatMap(reports.lines), ...next]) }
  })

/** The text of an empty list. An item that has not ended is not paid either. */
const emptyLists: Partial<Record<keyof typeof itemStates, string>> = {
  unpaid: "no item has ended without being paid: --only open lists those that have not ended",
  open: "every item has ended",
  paid: "no item is paid yet"
}

/** One page of the items of a batch. */
const listItems = (store: Store.Store, input: Input) =>
  Effect.gen(function* () {
    const { item, key, only } = input
    yield* executionsOf(store, { ...input, workflow: workflowName })
    const { next, rows } = yield* items.page(store, key, input)
    const none =
      item === undefined
        ? (emptyLists[only] ?? "none")
        : `${item} is not in this list: --only all finds it in any state`
    const advices = Arr.dedupe(rows.map(({ advice, state }) => `${state}: ${advice}`))
    const more = next === undefined ? [] : [`There may be more: --after ${next}`]
    const last = rows.length === 0 ? undefined : [...advices, ...more].join("\n")
    return { rows: Stream.fromIterable(rows), none, last }
  })

/** Refuses a change without effect. A batch has ended before its execution, and its interrupt is for good. */
const refuseInVain = (store: Store.Store, execution: Execution.Execution, name: string) =>
  Effect.gen(function* () {
    const stored = yield* reports.batchOf(store, execution)
    if (execution.end !== undefined || (stored?.ended ?? null) !== null) {
      const message = "it has already ended, and nothing was changed: `show` prints how it ended."
      return yield* refused(409, message)
    }
    if (stored?.phase === "interrupted" && name !== "interrupt") {
      const message = "it was interrupted for good, and nothing was changed: it sends no others."
      return yield* refused(409, message)
    }
  })

/** A change of an execution, or of a batch. Its response is the state after that. */
const change = (
  name: "resume" | "interrupt" | "pause" | "purge",
  about: string,
  onExecution: (store: Store.Store, one: Execution.Execution) => Effect.Effect<unknown, Expected>
): Operation => ({
  about,
  takes:
    name === "resume" || name === "interrupt" ? ["key", "workflow", "item"] : ["key", "workflow"],
  isChange: true,
  answer: (store, input) =>
    Effect.gen(function* () {
      const [one, ...others] =
        input.item === undefined
          ? yield* executionsOf(store, input)
          : [yield* items.changeable(store, input.key, input.item)]
      if (others.length > 0) {
        const names = [one, ...others].map(({ workflow }) => workflow).join(", ")
        const message = `several workflows have this key. Name one with --workflow: ${names}`
        return yield* refused(409, message)
      }
      if (name !== "purge") yield* refuseInVain(store, one, name)
      const { businessKey: key, workflow } = one
      yield* reports.isBatch(one) ? batch.make(store.batches)[name](key) : onExecution(store, one)
      return yield* show(store, { ...input, key, workflow, reveal: false })
    })
})

/** The most executions in which one search looks for a failure. */
const mostSearched = 10_000

/** Whether it has a failure with this part, if one is looked for. */
const hasFailed = (part: string | undefined) => (execution: Execution.Execution) =>
  part === undefined ||
  words.failureOf(execution)?.toLowerCase().includes(part.toLowerCase()) === true

/** All operations, for the command and for the routes. */
export const operations: Readonly<Record<string, Operation>> = {
  summary: {
    about: "counts the executions and batches that have not ended, by workflow",
    takes: [],
    columns: { workflow: 45, running: 12, waiting: 12, oldest: 24 },
    answer: (store) =>
      Effect.gen(function* () {
        const runners = yield* store.runners
        const alive = runners.filter(({ isAlive }) => isAlive).length
        const rows = Array.from(yield* store.open, ([workflow, { oldestMillis, ...counts }]) => {
          const { running, waiting } = counts
          return { workflow, running, waiting, oldest: reports.iso(oldestMillis), runners: alive }
        })
        return { rows: Stream.fromIterable(rows), last: words.runners(runners) }
      })
  },
  list: {
    about: "lists executions and batches, the oldest first",
    takes: ["workflow", "batches", "state", "since", "before", "failure", "newest", "limit"],
    columns: { key: 40, workflow: 25, now: 33 },
    answer: (store, { batches, before, failure, limit, newest, since, state, workflow }) =>
      Effect.map(store.runners, (runners) => {
        const filter = {
          workflow: batches ? workflowName : workflow,
          states: states[state],
          startedFromMillis: since?.getTime(),
          startedBeforeMillis: before?.getTime(),
          isNewestFirst: newest
        }
        const most = failure === undefined ? limit : mostSearched
        const rows = Store.pages(store, filter, most).pipe(
          Stream.take(most),
          Stream.filter(hasFailed(failure)),
          Stream.take(limit),
          Stream.mapEffect((execution) => reports.statusOf(store, execution, runners))
        )
        const ended =
          state === "open" ? " is open: --state all also lists those that have ended" : ""
        const limited = `A failure is looked for in ${mostSearched} executions: narrow them with --since or --before.`
        const last = [...(failure === undefined ? [] : [limited]), words.runners(runners)].join(
          "\n"
        )
        return { rows, none: `none${ended}`, last }
      })
  },
  runners: {
    about: "lists the processes that run workflows, and when each was last seen",
    takes: [],
    columns: { name: 60, state: 10, seen: 24 },
    answer: (store) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const all = yield* store.runners
        const rows = all.map(({ isAlive, name, silentMillis }) => ({
          name,
          state: isAlive ? "runs" : "is gone",
          seen: reports.iso(now - silentMillis)
        }))
        return { rows: Stream.fromIterable(rows), last: words.runners(all) }
      })
  },
  show: {
    about: "prints what happened to an execution or a batch, and what it will do next",
    takes: ["key", "workflow", "reveal"],
    answer: show
  },
  results: {
    about: "prints the result of each item of a batch",
    takes: ["key", "reveal"],
    columns: { item: 20, state: 12, reference: 18, status: 10, amount: 12, error: 23 },
    answer: (store, input) =>
      Effect.gen(function* () {
        const { key, reveal } = input
        // Before the first row: a response that has begun cannot be refused.
        yield* executionsOf(store, { ...input, workflow: workflowName })
        const batches = batch.make(store.batches)
        yield* batches.found(key)
        return {
          rows: Stream.map(batches.results(key), (result) => items.resultRow(result, reveal))
        }
      })
  },
  items: {
    about: "lists items of a batch with their amounts and why each is in its state",
    takes: ["key", "only", "item", "after", "limit"],
    columns: { item: 16, amount: 13, currency: 8, state: 12, why: 47 },
    answer: listItems
  },
  resume: change(
    "resume",
    "ends the pause of an execution now, or of a batch",
    ({ resume }, { executionId }) => resume(executionId)
  ),
  interrupt: change(
    "interrupt",
    "stops an execution, after the outcome of its request is known, or a batch",
    ({ interrupt }, { executionId }) => interrupt(executionId)
  ),
  pause: change("pause", "pauses a batch: it sends no further items until `resume`", () =>
    refused(409, "only a batch can be paused. `interrupt` stops an execution for good.")
  ),
  purge: change(
    "purge",
    "deletes what is stored of an execution or a batch that has ended, except its key",
    ({ purge }, execution) => purge(execution)
  )
}

/** Runs an operation with an input as text. */
export const run = (store: Store.Store, { answer, columns = {} }: Operation, input: unknown) =>
  Schema.decodeUnknown(Input)(input).pipe(
    Effect.catchTag("ParseError", ({ issue }) =>
      refused(400, Issues.print(Issues.fromParseIssue(issue)))
    ),
    Effect.flatMap((valid) => answer(store, valid)),
    Effect.mapBoth({ onFailure: toRefused, onSuccess: (found) => toAnswer(found, columns) })
  )
