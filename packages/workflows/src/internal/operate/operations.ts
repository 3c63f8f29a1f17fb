import * as Issues from "@manilla/core/Issues"
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
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
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
const states = {
  open: ["Running", "Waiting"],
  running: ["Running"],
  waiting: ["Waiting"],
  succeeded: ["Succeeded"],
  failed: ["Failed"],
  died: ["Died"],
  all: Execution.State.literals
} as const

/** The inputs of all operations, as text from a command line or a URL. */
const Input = Schema.Struct({
  key: Schema.optional(Storable),
  workflow: Schema.optional(Storable),
  state: Schema.optional(Schema.Literal(...Struct.keys(states))),
  limit: Schema.optional(Schema.NumberFromString.pipe(Schema.int(), Schema.positive())),
  reveal: Schema.optional(Schema.BooleanFromString)
})
type Input = typeof Input.Type

/** Each input with a sentence about it. */
export const inputs: Readonly<Record<keyof Input, string>> = {
  key: "the key of an execution or of a batch",
  workflow: "the versioned name of a workflow, such as Manilla/DisbursePayout/2",
  state: `${Struct.keys(states).join(", ")}; by default open, those that have not ended`,
  limit: "the most rows; by default 100",
  reveal: "also print payloads, results and phone numbers"
}

type Failure = Refused | Execution.StorageError
type Row = Readonly<Record<string, unknown>>

/** The result of an operation. */
export interface Answer {
  /** As JSON. */
  readonly rows: Stream.Stream<Row, Failure>
  /** For a terminal of 100 columns. */
  readonly text: Stream.Stream<string, Failure>
}

export interface Operation {
  readonly about: string
  readonly takes: ReadonlyArray<keyof Input>
  readonly isChange: boolean
  readonly isTable: boolean
  readonly run: (inside: Store.Store, input: unknown) => Effect.Effect<Answer, Failure>
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
  const line = (cell: (name: string) => unknown) =>
    Object.entries(columns)
      .map(([name, width]) => fit(cell(name), width))
      .join(" ")
      .trimEnd()
  const header = line((name) => name.toUpperCase())
  const lines = Stream.map(rows, (row) => line((name) => row[name])).pipe(
    Stream.orElseIfEmpty(() => none)
  )
  return { rows, text: Stream.concat(Stream.make(header), lines) }
}

const isBatch = ({ workflow }: Store.Name) => workflow === workflowName

const iso = (millis: number | null | undefined) =>
  millis === undefined || millis === null ? undefined : new Date(millis).toISOString()

const refused = (status: Refused["status"], message: string) =>
  Effect.fail(new Refused({ status, message }))

type Batches = ReturnType<typeof batch.make>

const orRefused = (error: Effect.Effect.Error<ReturnType<Batches["pause" | "purge"]>>): Failure =>
  error._tag === "StorageError" ? error : new Refused({ status: 409, message: error.message })

const runnersText = (runners: ReadonlyArray<string>) =>
  runners.length === 0
    ? "No process runs workflows on this database: nothing happens until one starts."
    : `Workflows are run by ${runners.join(", ")}.`

/** The executions with a key, in all workflows. */
const found = ({ list }: Store.Store, { key = "", workflow }: Input) =>
  Effect.filterOrFail(
    list({ businessKey: key, workflow }, undefined, 100),
    Arr.isNonEmptyReadonlyArray,
    () =>
      new Refused({
        status: 404,
        message: `no execution or batch has the key ${JSON.stringify(key)}${workflow === undefined ? "" : ` in ${workflow}`}. Correct the key: \`list --state all\` prints those that there are.`
      })
  )

const findOne = (inside: Store.Store, input: Input) =>
  Effect.flatMap(found(inside, input), ([first, ...others]) => {
    const names = [first, ...others].map(({ workflow }) => workflow).join(", ")
    return others.length > 0
      ? refused(409, `several workflows have this key. Name one with --workflow: ${names}`)
      : Effect.succeed(first)
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

/** An execution, and the phase of a batch. */
const statusOf = ({ batches }: Store.Store, execution: Execution.Execution) =>
  Effect.gen(function* () {
    const status = Execution.toStatus(execution)
    const now = yield* Clock.currentTimeMillis
    const stored = isBatch(status)
      ? Option.getOrUndefined(yield* batches.find(status.businessKey))
      : undefined
    const phase = status.end === undefined ? stored?.phase : undefined
    // Others wait for an event, or are due at once.
    const isTimed =
      status.state === "Waiting" && status.dueMillis > 0 && status.dueMillis < Execution.never
    const { brief, text } =
      (phase === undefined ? undefined : phases[phase]) ?? words.state(status, now)
    return {
      key: status.businessKey,
      workflow: status.workflow,
      state: phase ?? status.state.toLowerCase(),
      started: iso(status.startedMillis),
      ended: iso(status.end?.atMillis),
      resource: status.resource,
      due: isTimed ? iso(status.dueMillis) : undefined,
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
    const count = isBatch(execution)
      ? yield* inside.batches.count(execution.businessKey)
      : undefined
    return {
      ...status,
      interruptRequested: execution.isCancelRequested,
      items:
        count &&
        Struct.keys(counts).flatMap((state) => {
          const items = count[state]
          return items === undefined ? [] : [{ state, text: counts[state], items }]
        }),
      events: words
        .events(execution, steps)
        .map((event) => ({ ...event, at: iso(event.atMillis) })),
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
  const paid = exit?._tag === "Success" ? exit.value : undefined
  const error = exit?._tag === "Failure" ? Cause.failureOption(exit.cause) : Option.none()
  const isDefect = exit?._tag === "Failure" && Option.isNone(error)
  return {
    item: key,
    key: businessKey,
    state,
    reference: paid?.reference ?? "",
    status: paid?.status ?? "",
    amount: paid?.amount ?? "",
    currency: paid?.currency ?? "",
    error: Option.match(error, {
      onNone: () => (isDefect ? "a defect" : ""),
      onSome: ({ message }) => message
    }),
    ...(reveal
      ? { destination: paid?.destination === undefined ? "" : Redacted.value(paid.destination) }
      : {})
  }
}

const operation = (
  about: string,
  takes: ReadonlyArray<keyof Input>,
  run: (inside: Store.Store, input: Input) => Effect.Effect<Answer, Failure>,
  { isChange = false, isTable = false } = {}
): Operation => ({
  about,
  takes,
  isChange,
  isTable,
  run: (inside, input) =>
    Schema.decodeUnknown(Input)(input).pipe(
      Effect.catchTag("ParseError", ({ issue }) =>
        refused(400, Issues.print(Issues.fromParseIssue(issue)))
      ),
      Effect.flatMap((valid) => run(inside, valid))
    )
})

const unchanged = "it has ended, and nothing was changed."

/** A change of a batch, which says what follows. */
const changeBatch = (
  { batches: table }: Store.Store,
  name: "pause" | "resume" | "interrupt" | "purge",
  key: string,
  done: string
) =>
  Effect.gen(function* () {
    const batches = batch.make(table)
    const onBatch: Effect.Effect<boolean | void, Parameters<typeof orRefused>[0]> =
      batches[name](key)
    if ((yield* onBatch) !== false) return done
    const { phase } = yield* batches.found(key)
    const now = phases[phase]?.brief
    return now === undefined ? unchanged : `it ${now}, and nothing was changed.`
  }).pipe(
    // Its execution was found: only its items are missing.
    Effect.catchTag("ExecutionNotFound", () =>
      refused(
        409,
        "its items are not stored yet. Nothing was sent, and nothing was changed. If its start still runs, repeat this after it. If its start failed, nothing is sent until the batch is started again."
      )
    ),
    Effect.mapError((error) => (error._tag === "Refused" ? error : orRefused(error)))
  )

/** A change of rows, which says what follows. */
const change = (
  name: "pause" | "resume" | "interrupt" | "purge",
  about: string,
  onExecution: (
    execution: Execution.Execution,
    inside: Store.Store
  ) => Effect.Effect<string, Failure>,
  batchDone: string
): Operation =>
  operation(
    about,
    ["key", "workflow"],
    (inside, input) =>
      Effect.gen(function* () {
        const execution = yield* findOne(inside, input)
        const { businessKey: key, workflow } = execution
        const done = yield* isBatch(execution)
          ? changeBatch(inside, name, key, batchDone)
          : onExecution(execution, inside)
        const runners = yield* inside.runners
        return {
          rows: Stream.make({ key, workflow, done, runners }),
          text: Stream.make(plain(`${key}: ${done} ${runnersText(runners)}`))
        }
      }),
    { isChange: true }
  )

/** Says what follows a change of a row: a process that runs workflows notices it within a second. */
const changed = (
  row: ReturnType<Store.Store["resume"]>,
  done: (changed: Execution.Execution) => string
) =>
  Effect.map(
    row,
    Option.match({
      onNone: () => "it is no longer stored.",
      onSome: (changed) => (changed.end === undefined ? done(changed) : unchanged)
    })
  )

/** All operations, for the command and for the routes. */
export const operations: Readonly<Record<string, Operation>> = {
  summary: operation(
    "counts the executions and batches that have not ended, by workflow",
    [],
    ({ open }) =>
      Effect.map(open, (all) => {
        const rows = Array.from(all, ([workflow, { oldestMillis, running, waiting }]) => {
          const oldest = iso(oldestMillis)
          return { workflow, running, waiting, oldest }
        })
        const widths = { workflow: 45, running: 12, waiting: 12, oldest: 24 }
        return table(Stream.fromIterable(rows), widths)
      }),
    { isTable: true }
  ),
  list: operation(
    "lists executions and batches, the oldest first",
    ["workflow", "state", "limit"],
    (inside, { limit = 100, state = "open", workflow }) => {
      const filter = { workflow, states: states[state] }
      const rows = Store.pages(inside, filter, limit).pipe(
        Stream.take(limit),
        Stream.mapEffect((execution) => statusOf(inside, execution))
      )
      const widths = { key: 40, workflow: 25, now: 33 }
      const none =
        state === "open" ? "none is open: --state all also lists those that have ended" : "none"
      return Effect.succeed(table(rows, widths, none))
    },
    { isTable: true }
  ),
  show: operation(
    "prints what happened to an execution or a batch, and what it will do next",
    ["key", "workflow", "reveal"],
    (inside, input) =>
      Effect.gen(function* () {
        const all = yield* found(inside, input)
        const reports = yield* Effect.forEach(all, (execution) =>
          reportOf(inside, execution, input.reveal === true)
        )
        const runners = yield* inside.runners
        const isOpen = all.some(({ end }) => end === undefined)
        const text = [
          ...reports.flatMap(reportLines),
          ...(isOpen ? ["", runnersText(runners)] : [])
        ]
        return { rows: Stream.fromIterable(reports), text: Stream.fromIterable(text) }
      })
  ),
  results: operation(
    "prints the result of each item of a batch",
    ["key", "reveal"],
    (inside, input) =>
      Effect.gen(function* () {
        const { found, results } = batch.make(inside.batches)
        const key = input.key ?? ""
        yield* Effect.mapError(found(key), orRefused)
        const rows = results(key).pipe(
          Stream.mapError(orRefused),
          Stream.map((result) => resultRow(result, input.reveal === true))
        )
        const widths = { item: 20, state: 12, reference: 18, status: 10, amount: 12, error: 23 }
        return table(rows, widths)
      }),
    { isTable: true }
  ),
  resume: change(
    "resume",
    "ends the pause of an execution now, or of a batch",
    ({ executionId }, { resume }) =>
      changed(resume(executionId), ({ clocks, pause }) =>
        pause === undefined
          ? "it is in no pause, and nothing was changed."
          : // A pause of this name that a body has named itself has a time.
            pause === Execution.Pause.signal && clocks[pause] === undefined
            ? "it goes on waiting for a signal."
            : "its pause ends within a second."
      ),
    "it sends items again within a second."
  ),
  interrupt: change(
    "interrupt",
    "stops an execution, after the outcome of its request is known, or a batch",
    ({ executionId }, { interrupt }) =>
      changed(
        interrupt(executionId),
        () => "it is to end. If the outcome of a request is unknown, that is continued first."
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
      purge(execution).pipe(
        Effect.as("its payload, its result and its steps are deleted. The key stays taken."),
        Effect.catchTag("ExecutionNotEnded", ({ message }) => refused(409, message))
      ),
    "its items and their results are deleted. The key stays taken."
  )
}
