import * as Issues from "@manilla/core/Issues"
import type * as Payout from "@manilla/payouts/Payout"
import * as Batches from "@manilla/workflow-engine/Batches"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Store from "@manilla/workflow-engine/Store"
import { Storable } from "@manilla/workflow-engine/Text"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Batch from "../../Batch.js"
import * as batch from "../batch/operate.js"
import { workflowName } from "../batch/rules.js"
import * as words from "./words.js"

/** A refusal. Nothing was changed, except perhaps after 503: the store failed. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly status: 400 | 404 | 409 | 503
  readonly message: string
}> {}

/** The states that each name selects. */
export const states = {
  open: ["Running", "Waiting"],
  running: ["Running"],
  waiting: ["Waiting"],
  succeeded: ["Succeeded"],
  failed: ["Failed"],
  died: ["Died"],
  all: Execution.State.literals
} as const

/** The states of items that each name selects. One that is `unpaid` has ended. */
export const itemStates = {
  unpaid: ["failed", "notCompleted", "inDoubt"],
  open: ["waiting", "sending", "created", "unknown", "pending"],
  paid: ["completed"],
  all: Batches.State.literals
} as const satisfies Readonly<Record<string, ReadonlyArray<Batches.State>>>

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
  after: Schema.optional(Schema.NumberFromString.pipe(Schema.int(), Schema.nonNegative())),
  reveal: Schema.optionalWith(Schema.BooleanFromString, { default: () => false })
})
type Input = typeof Input.Type

type Row = Readonly<Record<string, unknown>>

type Expected =
  | Refused
  | Execution.StorageError
  | Execution.ExecutionNotFound
  | Execution.ExecutionNotEnded
  | Execution.ExecutionPurged

/** The result of an operation. */
export interface Answer {
  /** As JSON. */
  readonly rows: Stream.Stream<Row, Refused>
  /** For a terminal of 100 columns. */
  readonly text: Stream.Stream<string, Refused>
}

export interface Operation {
  readonly about: string
  readonly takes: ReadonlyArray<keyof Input>
  readonly isChange?: boolean
  readonly isTable?: boolean
  readonly answer: (store: Store.Store, input: Input) => Effect.Effect<Answer, Expected>
}

/** Control characters would move the cursor of the terminal. */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, "\u{fffd}")

/** A cell of a table in a terminal. */
const fit = (value: unknown, width: number): string => {
  const text = plain(String(value ?? ""))
  return text.length > width ? `${text.slice(0, width - 2)}..` : text.padEnd(width)
}

/** Rows as a table with these columns, which have a width. */
const table = (
  all: Stream.Stream<Row, Expected>,
  columns: Readonly<Record<string, number>>,
  { last, none = "none" }: { readonly none?: string; readonly last?: string | undefined } = {}
): Answer => {
  const rows = Stream.mapError(all, toRefused)
  const header = Record.map(columns, (_, name) => name.toUpperCase())
  const line = (row: Row) =>
    Record.collect(columns, (name, width) => fit(row[name], width))
      .join(" ")
      .trimEnd()
  const lines = Stream.orElseIfEmpty(Stream.map(rows, line), () => none)
  const before = Stream.concat(Stream.make(line(header)), lines)
  return { rows, text: last === undefined ? before : Stream.concat(before, Stream.make("", last)) }
}

const isBatch = ({ workflow }: Store.Name) => workflow === workflowName

const iso = (millis?: number) => (millis === undefined ? undefined : new Date(millis).toISOString())

export const refused = (status: Refused["status"], message: string): Refused =>
  new Refused({ status, message })

const toRefused = (error: Expected): Refused => {
  if (error._tag === "Refused") return error
  // Here, only a batch is not found, whose items are not stored yet.
  if (error._tag === "ExecutionNotFound") return noItems
  return refused(error._tag === "StorageError" ? 503 : 409, error.message)
}

/** The start of a batch stores its items before its execution. */
const noItems = refused(
  409,
  "its items are not stored yet: nothing was sent. Repeat this later, or start it again if its start has failed."
)

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

/** The words for the phases of a batch that has not ended. */
const phases: Partial<Record<Batches.Phase, words.Words>> = {
  storing: words.said("waits for its items", " Start the batch again if its start has failed."),
  running: words.said("sends its items"),
  paused: words.said("is paused", " Items that were sent continue. It sends others when resumed."),
  interrupted: words.said("is interrupted", " Items that were sent continue. It sends no others.")
}

type Runners = ReadonlyArray<Store.Runner>

/** An execution, and the phase of a batch that has not ended. */
const statusOf = ({ batches }: Store.Store, execution: Execution.Execution, runners: Runners) =>
  Effect.gen(function* () {
    const isRun = runners.some(({ isAlive }) => isAlive)
    const status = Execution.toStatus(execution)
    const { businessKey: key, dueMillis, end, workflow } = status
    const now = yield* Clock.currentTimeMillis
    const batch = Option.getOrUndefined(isBatch(status) ? yield* batches.find(key) : Option.none())
    const isPurged = status.isPurged || batch?.phase === "purged"
    const phase = end === undefined ? batch?.phase : undefined
    // Others wait for an event, or are due at once.
    const isTimed = status.state === "Waiting" && dueMillis > 0 && dueMillis < Execution.never
    const isToEnd = end === undefined && status.isCancelRequested && !isBatch(status)
    const { brief, text } =
      (phase && phases[phase]) ?? words.state({ ...status, isPurged }, now, isRun)
    return {
      key,
      workflow,
      state: phase ?? status.state.toLowerCase(),
      started: iso(status.startedMillis),
      ended: iso(end?.atMillis),
      resource: status.resource,
      due: isTimed ? iso(dueMillis) : undefined,
      now: brief,
      text: isToEnd ? text + words.toEnd : text
    }
  })

const counts = {
  waiting: "not sent",
  sending: "being sent",
  created: "created, status not final",
  unknown: "outcome unknown, being continued with the same key",
  pending: "created, status not final, followed by DisbursePayout",
  completed: "completed",
  notCompleted: "ended with another final status",
  failed: "failed: nothing was paid",
  inDoubt: "in doubt: look at each of them at the service",
  purged: "purged"
} as const satisfies Record<Batches.State, string>

const reportOf = (
  store: Store.Store,
  execution: Execution.Execution,
  runners: Runners,
  reveal: boolean
) =>
  Effect.gen(function* () {
    const status = yield* statusOf(store, execution, runners)
    const events = words.events(execution, yield* store.steps(execution.executionId))
    const count = isBatch(execution) ? yield* store.batches.count(status.key) : undefined
    return {
      ...status,
      interruptRequested: execution.isCancelRequested && !isBatch(execution),
      items:
        count &&
        Record.collect(counts, (state, text) => ({ state, text, items: count[state] ?? 0 })).filter(
          ({ items }) => items > 0
        ),
      events: events.map((event) => ({ ...event, at: iso(event.atMillis) })),
      payload: reveal && execution.payload !== "" ? execution.payload : undefined,
      result: reveal ? execution.exit : undefined
    }
  })

/** A row of `list`, and one of `show`. */
export type Status = Effect.Effect.Success<ReturnType<typeof statusOf>>
export type Report = Effect.Effect.Success<ReturnType<typeof reportOf>>

const reportLines = (report: Report) => {
  const { events, items = [], key, payload, resource, result, state, text, workflow } = report
  const facts = Object.entries({ resource, payload, result })
  return [
    `${key} of ${workflow}: ${state}`,
    `  ${text}`,
    ...facts.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name}: ${value}`])),
    ...items.map(({ items, text }) => `  ${String(items).padStart(9)} ${text}`),
    "",
    ...events.map((event) => `  ${words.moment(event.atMillis)}  ${words.line(event)}`),
    ""
  ].map(plain)
}

/** The executions with a key, their history, and the processes that carry on with them. */
const show = (store: Store.Store, input: Input) =>
  Effect.gen(function* () {
    const executions = yield* executionsOf(store, input)
    const runners = yield* store.runners
    const reports = yield* Effect.forEach(executions, (one) =>
      reportOf(store, one, runners, input.reveal)
    )
    const next = reports.some(({ ended }) => ended === undefined) ? [words.runners(runners)] : []
    const rows = Stream.fromIterable(reports.map((report) => ({ ...report, runners })))
    return { rows, text: Stream.fromIterable([...reports.flatMap(reportLines), ...next]) }
  })

/** A result of an item, in the columns of a CSV file. */
const resultRow = ({ businessKey, end, key, state }: Batch.ItemResult, reveal: boolean) => {
  const exit = Option.getOrUndefined(end)
  const paid: Partial<Payout.Payout> = exit?._tag === "Success" ? exit.value : {}
  const { amount = "", currency = "", destination, reference = "", status = "" } = paid
  const isFailed = exit?._tag === "Failure"
  const failure = isFailed ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined
  const error = failure?.message ?? (isFailed ? "a defect" : "")
  const row = { item: key, key: businessKey, state, reference, status, amount, currency, error }
  return reveal ? { ...row, destination: destination ? Redacted.value(destination) : "" } : row
}

const decodeRequest = Schema.decodeOption(
  Schema.parseJson(Schema.Struct({ amount: Schema.String, currency: Schema.String }))
)

/** The most items of one page, which is one read of the database. */
const mostItems = 500

/** The text of an empty list. An item that has not ended is not paid either. */
const emptyList = {
  unpaid: "no item has ended without being paid: --only open lists those that have not ended",
  open: "every item has ended",
  paid: "no item is paid yet",
  all: "none"
} as const satisfies Record<keyof typeof itemStates, string>

/** An item of a batch: how much, and why it is in its state. */
const itemRow = (result: Batch.ItemResult, { number, request }: Batches.Item) => {
  const { error, item, key, reference, state, status } = resultRow(result, false)
  const { amount, currency } = Option.getOrElse(decodeRequest(request), () => ({
    amount: "",
    currency: ""
  }))
  const reasons = {
    failed: error,
    inDoubt: `the money may have moved: ${error}`,
    notCompleted: `the payout ended ${status}`
  }
  const why = { ...counts, ...reasons }[state]
  return { number, item, key, state, amount, currency, reference, why }
}

/** A row of `items`. */
export type ItemRow = ReturnType<typeof itemRow>

/** One page of the items of a batch. */
const items = (store: Store.Store, input: Input) =>
  Effect.gen(function* () {
    const { after = -1, item, key, only } = input
    yield* executionsOf(store, { ...input, workflow: workflowName })
    const batches = batch.make(store.batches)
    yield* batches.found(key)
    const limit = Math.min(input.limit, mostItems)
    const found = yield* store.batches.read(
      key,
      { states: itemStates[only], after, ...(item !== undefined && { keys: [item] }) },
      limit
    )
    const rows = yield* Effect.forEach(found, (one) =>
      Effect.map(batches.resultOf(key, one), (result) => itemRow(result, one))
    )
    const next = rows.length === limit ? rows.at(-1)?.number : undefined
    return table(
      Stream.fromIterable(rows),
      { item: 16, amount: 13, currency: 8, state: 12, why: 47 },
      {
        none:
          item === undefined
            ? emptyList[only]
            : `${item} is not in this list: --only all finds it in any state`,
        last: next === undefined ? undefined : `There may be more: --after ${next}`
      }
    )
  })

/** A batch has ended before its execution. */
const refuseEnded = (store: Store.Store, execution: Execution.Execution) =>
  Effect.gen(function* () {
    const batch = isBatch(execution)
      ? yield* store.batches.find(execution.businessKey)
      : Option.none()
    const hasEnded = Option.exists(batch, ({ ended }) => ended !== null)
    if (execution.end === undefined && !hasEnded) return
    const message = "it has already ended, and nothing was changed: `show` prints how it ended."
    return yield* refused(409, message)
  })

/** A change of an execution, or of a batch. Its answer is the state after that. */
const change = (
  name: "resume" | "interrupt" | "pause" | "purge",
  about: string,
  onExecution: (store: Store.Store, one: Execution.Execution) => Effect.Effect<unknown, Expected>
): Operation => ({
  about,
  takes: ["key", "workflow"],
  isChange: true,
  answer: (store, input) =>
    Effect.gen(function* () {
      const [one, ...others] = yield* executionsOf(store, input)
      if (others.length > 0) {
        const names = [one, ...others].map(({ workflow }) => workflow).join(", ")
        const message = `several workflows have this key. Name one with --workflow: ${names}`
        return yield* refused(409, message)
      }
      if (name !== "purge") yield* refuseEnded(store, one)
      yield* isBatch(one) ? batch.make(store.batches)[name](input.key) : onExecution(store, one)
      return yield* show(store, { ...input, reveal: false })
    })
})

/** All operations, for the command and for the routes. */
export const operations: Readonly<Record<string, Operation>> = {
  summary: {
    about: "counts the executions and batches that have not ended, by workflow",
    takes: [],
    isTable: true,
    answer: (store) =>
      Effect.gen(function* () {
        const runners = yield* store.runners
        const alive = runners.filter(({ isAlive }) => isAlive).length
        const rows = Array.from(yield* store.open, ([workflow, { oldestMillis, ...counts }]) => {
          const { running, waiting } = counts
          return { workflow, running, waiting, oldest: iso(oldestMillis), runners: alive }
        })
        const widths = { workflow: 45, running: 12, waiting: 12, oldest: 24 }
        return table(Stream.fromIterable(rows), widths, { last: words.runners(runners) })
      })
  },
  list: {
    about: "lists executions and batches, the oldest first",
    takes: ["workflow", "state", "limit"],
    isTable: true,
    answer: (store, { limit, state, workflow }) =>
      Effect.map(store.runners, (runners) => {
        const rows = Store.pages(store, { workflow, states: states[state] }, limit).pipe(
          Stream.take(limit),
          Stream.mapEffect((execution) => statusOf(store, execution, runners))
        )
        const ended =
          state === "open" ? " is open: --state all also lists those that have ended" : ""
        const widths = { key: 40, workflow: 25, now: 33 }
        return table(rows, widths, { none: `none${ended}`, last: words.runners(runners) })
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
    isTable: true,
    answer: (store, input) =>
      Effect.gen(function* () {
        const { key, reveal } = input
        // Before the first row: an answer that has begun cannot be refused.
        yield* executionsOf(store, { ...input, workflow: workflowName })
        const batches = batch.make(store.batches)
        yield* batches.found(key)
        const rows = Stream.map(batches.results(key), (result) => resultRow(result, reveal))
        const widths = { item: 20, state: 12, reference: 18, status: 10, amount: 12, error: 23 }
        return table(rows, widths)
      })
  },
  items: {
    about: "lists items of a batch with their amounts and why each is in its state",
    takes: ["key", "only", "item", "after", "limit"],
    isTable: true,
    answer: items
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
export const run = (store: Store.Store, { answer }: Operation, input: unknown) =>
  Schema.decodeUnknown(Input)(input).pipe(
    Effect.catchTag("ParseError", ({ issue }) =>
      refused(400, Issues.print(Issues.fromParseIssue(issue)))
    ),
    Effect.flatMap((valid) => answer(store, valid)),
    Effect.mapError(toRefused)
  )
