import * as Issues from "@manilla/core/Issues"
import type * as Payout from "@manilla/payouts/Payout"
import type * as Batches from "@manilla/workflow-engine/Batches"
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

/** Why an operation was refused. Nothing was changed. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly status: 400 | 404 | 409
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

const Limit = Schema.NumberFromString.pipe(Schema.int(), Schema.positive())

/** The inputs of all operations, as text from a command line or a URL. */
const Input = Schema.Struct({
  key: Schema.optionalWith(Storable, { default: () => "" }),
  workflow: Schema.optional(Storable),
  state: Schema.optionalWith(Schema.Literal(...Record.keys(states)), { default: () => "open" }),
  limit: Schema.optionalWith(Limit, { default: () => 100 }),
  reveal: Schema.optionalWith(Schema.BooleanFromString, { default: () => false })
})
type Input = typeof Input.Type

type Failure = Refused | Execution.StorageError
type Row = Readonly<Record<string, unknown>>

/** The result of an operation. */
export interface Answer {
  /** As JSON. */
  readonly rows: Stream.Stream<Row, Failure>
  /** For a terminal of 100 columns. */
  readonly text: Stream.Stream<string, Failure>
}

export interface Operation<I = unknown, E = Failure> {
  readonly about: string
  readonly takes: ReadonlyArray<keyof Input>
  readonly isChange?: boolean
  readonly isTable?: boolean
  readonly run: (inside: Store.Store, input: I) => Effect.Effect<Answer, E>
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
  rows: Stream.Stream<Row, Failure>,
  columns: Readonly<Record<string, number>>,
  none = "none"
): Answer => {
  const header = Record.map(columns, (_, name) => name.toUpperCase())
  const line = (row: Row) =>
    Record.collect(columns, (name, width) => fit(row[name], width))
      .join(" ")
      .trimEnd()
  const lines = Stream.orElseIfEmpty(Stream.map(rows, line), () => none)
  return { rows, text: Stream.concat(Stream.make(line(header)), lines) }
}

const isBatch = ({ workflow }: Store.Name) => workflow === workflowName

const iso = (millis: number | undefined) =>
  millis === undefined ? undefined : new Date(millis).toISOString()

const refused = (status: Refused["status"], message: string) =>
  Effect.fail(new Refused({ status, message }))

type Expected =
  Failure | Execution.ExecutionNotFound | Execution.ExecutionNotEnded | Execution.ExecutionPurged

/** Only after a failure of the store, the operation is worth repeating. Any other error is a refusal. */
const orRefused = (error: Expected): Failure =>
  error._tag === "StorageError" || error._tag === "Refused"
    ? error
    : new Refused({ status: 409, message: error.message })

const runnersText = (runners: ReadonlyArray<string>) =>
  runners.length === 0
    ? "No process runs workflows on this database: nothing happens until one starts."
    : `Workflows are run by ${runners.join(", ")}.`

/** The executions with a key, in all workflows. */
const found = ({ list }: Store.Store, { key, workflow }: Input) =>
  Effect.flatMap(list({ businessKey: key, workflow }, undefined, 100), (all) => {
    if (Arr.isNonEmptyReadonlyArray(all)) return Effect.succeed(all)
    const where = workflow === undefined ? "" : ` in ${workflow}`
    const message = `no execution or batch has the key ${JSON.stringify(key)}${where}. Correct the key: \`list --state all\` prints those that there are.`
    return refused(404, message)
  })

/** The words for the phases of a batch that has not ended. */
const phases: Partial<Record<Batches.Phase, words.Words>> = {
  storing: words.said(
    "waits for its items",
    " Its start has not ended, and nothing was sent. If it failed, start the batch again."
  ),
  running: words.said("sends its items"),
  paused: words.said("is paused", " It sends no further items until it is resumed."),
  interrupted: words.said("is interrupted", " It ends after the items that were sent.")
}

/** An execution, and the phase of a batch that has not ended. */
const statusOf = ({ batches }: Store.Store, execution: Execution.Execution) =>
  Effect.gen(function* () {
    const status = Execution.toStatus(execution)
    const { businessKey: key, dueMillis, end, workflow } = status
    const now = yield* Clock.currentTimeMillis
    const stored = isBatch(status) && end === undefined ? yield* batches.find(key) : Option.none()
    const phase = Option.getOrUndefined(stored)?.phase
    // Others wait for an event, or are due at once.
    const isTimed = status.state === "Waiting" && dueMillis > 0 && dueMillis < Execution.never
    const { brief, text } = (phase && phases[phase]) ?? words.state(status, now)
    return {
      key,
      workflow,
      state: phase ?? status.state.toLowerCase(),
      started: iso(status.startedMillis),
      ended: iso(end?.atMillis),
      resource: status.resource,
      due: isTimed ? iso(dueMillis) : undefined,
      now: brief,
      text
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

const reportOf = (inside: Store.Store, execution: Execution.Execution, reveal: boolean) =>
  Effect.gen(function* () {
    const status = yield* statusOf(inside, execution)
    const steps = yield* inside.steps(execution.executionId)
    const events = words.events(execution, steps)
    const count = isBatch(execution) ? yield* inside.batches.count(status.key) : undefined
    return {
      ...status,
      interruptRequested: execution.isCancelRequested,
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
  const { events, items = [], payload, resource, result } = report
  return [
    `${report.key} of ${report.workflow}: ${report.state}`,
    `  ${report.text}`,
    ...(resource === undefined ? [] : [`  resource: ${resource}`]),
    ...items.map(({ items, text }) => `  ${String(items).padStart(9)} ${text}`),
    ...(payload === undefined ? [] : [`  payload: ${payload}`]),
    ...(result === undefined ? [] : [`  result: ${result}`]),
    "",
    ...events.map((event) => `  ${words.moment(event.atMillis)}  ${words.line(event)}`)
  ].map(plain)
}

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

/** An operation that checks its input. */
const checked = ({ run, ...operation }: Operation<Input, Expected>): Operation => ({
  ...operation,
  run: (inside, input) =>
    Schema.decodeUnknown(Input)(input).pipe(
      Effect.catchTag("ParseError", ({ issue }) =>
        refused(400, Issues.print(Issues.fromParseIssue(issue)))
      ),
      Effect.flatMap((valid) => run(inside, valid)),
      Effect.mapError(orRefused)
    )
})

const unchanged = "it has ended, and nothing was changed."

/** The batch was found: only its items are missing. */
const noItems = refused(
  409,
  "its items are not stored yet. Nothing was sent, and nothing was changed. If its start still runs, repeat this after it. If its start failed, nothing is sent until the batch is started again."
)

type Change = "resume" | "interrupt" | "pause" | "purge"

/** Returns what follows. */
const changeBatch = (inside: Store.Store, change: Change, key: string, done: string) =>
  Effect.gen(function* () {
    const batches = batch.make(inside.batches)
    const isChanged: Effect.Effect<boolean | void, Expected> = batches[change](key)
    if ((yield* isChanged) !== false) return done
    const { phase } = yield* batches.found(key)
    const now = phases[phase]?.brief
    return now === undefined ? unchanged : `it ${now}, and nothing was changed.`
  }).pipe(Effect.catchTag("ExecutionNotFound", () => noItems))

/** A change of an execution, or of a batch, which says what follows. */
const change = (
  name: Change,
  about: string,
  onExecution: (one: Execution.Execution, inside: Store.Store) => Effect.Effect<string, Expected>,
  batchDone: string
): Operation<Input, Expected> => ({
  about,
  takes: ["key", "workflow"],
  isChange: true,
  run: (inside, input) =>
    Effect.gen(function* () {
      const all = yield* found(inside, input)
      if (all.length > 1) {
        const names = all.map(({ workflow }) => workflow).join(", ")
        const message = `several workflows have this key. Name one with --workflow: ${names}`
        return yield* refused(409, message)
      }
      const [execution] = all
      const { businessKey: key, workflow } = execution
      const done = yield* isBatch(execution)
        ? changeBatch(inside, name, key, batchDone)
        : onExecution(execution, inside)
      const runners = yield* inside.runners
      const text = plain(`${key}: ${done} ${runnersText(runners)}`)
      return { rows: Stream.make({ key, workflow, done, runners }), text: Stream.make(text) }
    })
})

/** A process that runs workflows notices the change of a row within a second. */
const changed = (done: (row: Execution.Execution) => string) =>
  Option.match({
    onNone: () => "it is no longer stored.",
    onSome: (row: Execution.Execution) => (row.end === undefined ? done(row) : unchanged)
  })

const all: Readonly<Record<string, Operation<Input, Expected>>> = {
  summary: {
    about: "counts the executions and batches that have not ended, by workflow",
    takes: [],
    isTable: true,
    run: ({ open }) =>
      Effect.map(open, (all) => {
        const rows = Array.from(all, ([workflow, { oldestMillis, running, waiting }]) => {
          return { workflow, running, waiting, oldest: iso(oldestMillis) }
        })
        const widths = { workflow: 45, running: 12, waiting: 12, oldest: 24 }
        return table(Stream.fromIterable(rows), widths)
      })
  },
  list: {
    about: "lists executions and batches, the oldest first",
    takes: ["workflow", "state", "limit"],
    isTable: true,
    run: (inside, { limit, state, workflow }) => {
      const rows = Store.pages(inside, { workflow, states: states[state] }, limit).pipe(
        Stream.take(limit),
        Stream.mapEffect((execution) => statusOf(inside, execution))
      )
      const ended = state === "open" ? " is open: --state all also lists those that have ended" : ""
      return Effect.succeed(table(rows, { key: 40, workflow: 25, now: 33 }, `none${ended}`))
    }
  },
  show: {
    about: "prints what happened to an execution or a batch, and what it will do next",
    takes: ["key", "workflow", "reveal"],
    run: (inside, input) =>
      Effect.gen(function* () {
        const all = yield* found(inside, input)
        const reports = yield* Effect.forEach(all, (one) => reportOf(inside, one, input.reveal))
        const runners = yield* inside.runners
        const isOpen = all.some(({ end }) => end === undefined)
        const next = isOpen ? ["", runnersText(runners)] : []
        const text = [...reports.flatMap(reportLines), ...next]
        return { rows: Stream.fromIterable(reports), text: Stream.fromIterable(text) }
      })
  },
  results: {
    about: "prints the result of each item of a batch",
    takes: ["key", "reveal"],
    isTable: true,
    run: ({ batches }, { key, reveal }) =>
      Effect.gen(function* () {
        const { found, results } = batch.make(batches)
        // Before the first row, because an answer has begun then.
        const stored = yield* batches.find(key)
        if (Option.exists(stored, ({ phase }) => phase === "storing")) return yield* noItems
        yield* found(key)
        const rows = Stream.map(results(key), (result) => resultRow(result, reveal))
        const widths = { item: 20, state: 12, reference: 18, status: 10, amount: 12, error: 23 }
        return table(Stream.mapError(rows, orRefused), widths)
      })
  },
  resume: change(
    "resume",
    "ends the pause of an execution now, or of a batch",
    ({ executionId }, { resume }) =>
      Effect.map(
        resume(executionId),
        changed(({ clocks, pause }) => {
          if (pause === undefined) return "it is in no pause, and nothing was changed."
          if (pause.startsWith(`${Execution.Pause.child}/`)) {
            return "it goes on waiting for an execution that it has started."
          }
          // A pause of this name that a body has named itself has a time.
          return pause === Execution.Pause.signal && clocks[pause] === undefined
            ? "it goes on waiting for a signal."
            : "its pause ends within a second."
        })
      ),
    "it sends items again within a second."
  ),
  interrupt: change(
    "interrupt",
    "stops an execution, after the outcome of its request is known, or a batch",
    ({ executionId }, { interrupt }) =>
      Effect.map(
        interrupt(executionId),
        changed(
          () => "it is to end. If the outcome of a request is unknown, that is continued first."
        )
      ),
    "it sends no further items, for good. Those that were sent continue."
  ),
  pause: change(
    "pause",
    "pauses a batch: it sends no further items until `resume`",
    () => refused(409, "only a batch can be paused. `interrupt` stops an execution for good."),
    "it sends no further items until `resume`. Those that were sent continue."
  ),
  purge: change(
    "purge",
    "deletes what is stored of an execution or a batch that has ended, except its key",
    (execution, { purge }) =>
      Effect.as(
        purge(execution),
        "its payload, its result and its steps are deleted. The key stays taken."
      ),
    "its items and their results are deleted. The key stays taken."
  )
}

/** All operations, for the command and for the routes. */
export const operations: Readonly<Record<string, Operation>> = Record.map(all, checked)
