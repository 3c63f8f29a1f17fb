import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type * as Batch from "../../Batch.js"
import * as Execution from "../../Execution.js"
import * as PayoutBatch from "../../PayoutBatch.js"
import * as batch from "../batch/operate.js"
import type * as Table from "../batch/Table.js"
import { purge } from "../purge.js"
import type * as store from "../store.js"
import * as words from "./words.js"

/** What the operations read and change: rows of a database, which the processes that run workflows look at. */
export interface Inside {
  readonly executions: Pick<store.Store, "forget" | "history" | "list" | "modify">
  readonly batches: Table.Service
  /** The processes that run workflows on this database. */
  readonly runners: Effect.Effect<ReadonlyArray<string>, Execution.StorageError>
}

/** Why an operation was refused. Nothing was changed. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly status: 400 | 404 | 409
  readonly message: string
}> {}

const states = {
  running: "Running",
  waiting: "Waiting",
  succeeded: "Succeeded",
  failed: "Failed",
  died: "Died"
} as const
const StateName = Schema.Literal("running", "waiting", "succeeded", "failed", "died", "all")

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(schema)

/** The inputs of all operations, as text from a command line or a URL. */
const Input = Schema.Struct({
  key: optional(Schema.String),
  workflow: optional(Schema.String),
  state: optional(StateName),
  limit: optional(Schema.NumberFromString.pipe(Schema.int(), Schema.positive())),
  reveal: optional(Schema.BooleanFromString)
})
type Input = typeof Input.Type

/** What an input means. */
export const inputs: Readonly<Record<keyof Input, string>> = {
  key: "the key of an execution or of a batch",
  workflow: "the versioned name of a workflow, such as Manilla/DisbursePayout/2",
  state: `${StateName.literals.join(", ")}; by default those that have not ended`,
  limit: "the most rows; by default 100",
  reveal: "also print payloads and phone numbers"
}

type Failure = Refused | Execution.StorageError
type Row = Readonly<Record<string, unknown>>

/** What an operation found or did. */
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
  readonly run: (inside: Inside, input: unknown) => Effect.Effect<Answer, Failure>
}

const answer = <A extends Row>(
  rows: Stream.Stream<A, Failure>,
  text: (row: A) => string,
  header?: string
): Answer => ({
  rows,
  text: Stream.concat(
    header === undefined ? Stream.empty : Stream.make(header),
    Stream.map(rows, text)
  )
})

const isBatch = ({ workflow }: store.Name) => workflow === PayoutBatch.workflow.name

const iso = (millis: number | null | undefined) =>
  millis === undefined || millis === null ? undefined : new Date(millis).toISOString()

const refused = (status: Refused["status"], message: string) =>
  Effect.fail(new Refused({ status, message }))

const batchErrors = <A>(
  effect: Effect.Effect<
    A,
    | Execution.ExecutionNotFound
    | Execution.ExecutionPurged
    | Execution.UnreadablePayload
    | Execution.ExecutionNotEnded
    | Execution.StorageError
  >
): Effect.Effect<A, Failure> =>
  Effect.mapError(effect, (error) =>
    error._tag === "StorageError" ? error : new Refused({ status: 409, message: error.message })
  )

/** The executions with a key, in all workflows. */
const found = ({ executions }: Inside, { key = "", workflow }: Input) =>
  Effect.filterOrFail(
    executions.list({ businessKey: key, workflow }, undefined, 100),
    (all) => all.length > 0 && !key.includes("\0"),
    () =>
      new Refused({
        status: 404,
        message: `no execution or batch has the key ${JSON.stringify(key)}${workflow === undefined ? "" : ` in ${workflow}`}. Correct the key: \`list --state all\` prints those that there are.`
      })
  )

const only = (inside: Inside, input: Input) =>
  Effect.flatMap(found(inside, input), ([first, ...others]) =>
    first === undefined || others.length > 0
      ? refused(
          409,
          `several workflows have this key. Name one with --workflow: ${[first, ...others].map((one) => one?.workflow).join(", ")}`
        )
      : Effect.succeed(first)
  )

const onlyBatch = (inside: Inside, input: Input, why: string) =>
  Effect.filterOrFail(
    only(inside, { ...input, workflow: input.workflow ?? PayoutBatch.workflow.name }),
    isBatch,
    () => new Refused({ status: 409, message: why })
  )

/** An execution, and the phase of a batch. */
const statusOf = ({ batches }: Inside, execution: Execution.Execution) =>
  Effect.gen(function* () {
    const status = Execution.toStatus(execution)
    const now = yield* Clock.currentTimeMillis
    const stored = isBatch(status)
      ? Option.getOrUndefined(yield* batches.find(status.businessKey))
      : undefined
    const phases: Partial<Record<Table.Phase, words.Words>> = {
      running: { brief: "sends its items", text: "It sends its items." },
      paused: { brief: "is paused", text: "It sends no further items until `resume`." },
      interrupted: {
        brief: "is interrupted",
        text: "It sends no further items, and ends after those that were sent."
      }
    }
    const phase = status.end === undefined ? stored?.phase : undefined
    const { brief, text } =
      (phase === undefined ? undefined : phases[phase]) ?? words.state(status, now)
    return {
      key: status.businessKey,
      workflow: status.workflow,
      state: phase ?? status.state.toLowerCase(),
      started: iso(status.startedMillis),
      ended: iso(status.end?.atMillis),
      resource: status.resource,
      due:
        status.pause === undefined || status.end !== undefined ? undefined : iso(status.dueMillis),
      now: brief,
      text
    }
  })

const fit = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 2)}..` : text.padEnd(width)

/** A line of 100 columns. */
const listLine = ({
  key,
  now,
  started,
  state,
  workflow
}: Record<"key" | "now" | "state" | "workflow", string> & {
  readonly started: string | undefined
}) =>
  [
    fit(key, 28),
    fit(workflow.replace(/^Manilla\//, ""), 19),
    fit(state, 11),
    fit(started === undefined ? "STARTED" : words.moment(Date.parse(started)).slice(5, 16), 11),
    fit(now, 27)
  ]
    .join(" ")
    .trimEnd()

const counts = {
  waiting: "not sent",
  sending: "being sent",
  created: "paid out, status not final",
  unknown: "outcome unknown, being continued with the same key",
  pending: "paid out, status not final, followed by DisbursePayout",
  completed: "completed",
  notCompleted: "ended with another final status",
  failed: "failed: nothing was paid",
  inDoubt: "in doubt: look at each of them at the service",
  purged: "purged"
} as const satisfies Record<Batch.State, string>

const reportOf = (inside: Inside, execution: Execution.Execution, reveal: boolean) =>
  Effect.gen(function* () {
    const status = yield* statusOf(inside, execution)
    const history = yield* inside.executions.history(execution)
    const items = isBatch(execution)
      ? yield* inside.batches.count(execution.businessKey)
      : undefined
    return {
      ...status,
      interruptRequested: execution.isCancelRequested,
      items,
      events: words
        .events(Execution.toStatus(execution), history)
        .map(({ atMillis, text }) => ({ at: iso(atMillis), text })),
      payload: reveal && execution.payload !== "" ? execution.payload : undefined
    }
  })

const reportText = ({
  events,
  items,
  key,
  payload,
  resource,
  state,
  text,
  workflow
}: Effect.Effect.Success<ReturnType<typeof reportOf>>) =>
  [
    `${key} of ${workflow}: ${state}`,
    `  ${text}`,
    ...(resource === undefined ? [] : [`  resource: ${resource}`]),
    ...Struct.keys(counts).flatMap((state) =>
      items?.[state] === undefined ? [] : [`  ${String(items[state]).padStart(9)} ${counts[state]}`]
    ),
    ...(payload === undefined ? [] : [`  payload: ${payload}`]),
    "",
    ...events.map(({ at, text }) => `  ${words.moment(Date.parse(at ?? ""))}  ${text}`)
  ].join("\n")

/** A result of an item, in the columns of a CSV file. */
const resultRow = ({ businessKey, end, key, state }: Batch.ItemResult, reveal: boolean) => {
  const exit = Option.getOrUndefined(end)
  const payout = exit !== undefined && Exit.isSuccess(exit) ? exit.value : undefined
  const error =
    exit !== undefined && Exit.isFailure(exit)
      ? Option.match(Cause.failureOption(exit.cause), {
          onNone: () => "a defect",
          onSome: ({ message }) => message
        })
      : ""
  return {
    item: key,
    key: businessKey,
    state,
    reference: payout?.reference ?? "",
    status: payout?.status ?? "",
    amount: payout?.amount ?? "",
    currency: payout?.currency ?? "",
    error,
    ...(reveal
      ? { destination: payout?.destination === undefined ? "" : Redacted.value(payout.destination) }
      : {})
  }
}

const operation = (
  about: string,
  takes: ReadonlyArray<keyof Input>,
  run: (inside: Inside, input: Input) => Effect.Effect<Answer, Failure>,
  { isChange = false, isTable = false } = {}
): Operation => ({
  about,
  takes,
  isChange,
  isTable,
  run: (inside, input) =>
    Schema.decodeUnknown(Input)(input).pipe(
      Effect.mapError(({ message }) => new Refused({ status: 400, message })),
      Effect.flatMap((valid) => run(inside, valid))
    )
})

/** A change of rows, and the sentence that says what follows. */
const change = (
  about: string,
  onExecution: (inside: Inside, execution: Execution.Execution) => Effect.Effect<string, Failure>,
  onBatch: (
    operations: ReturnType<typeof batch.make>,
    execution: Execution.Execution,
    inside: Inside
  ) => Effect.Effect<string, Failure>
): Operation =>
  operation(
    about,
    ["key", "workflow"],
    (inside, input) =>
      Effect.gen(function* () {
        const execution = yield* only(inside, input)
        const operations = batch.make(inside.batches, PayoutBatch.workflow.name)
        const done = yield* isBatch(execution)
          ? onBatch(operations, execution, inside)
          : onExecution(inside, execution)
        const runners = yield* inside.runners
        const by =
          runners.length === 0
            ? "No process runs workflows on this database: nothing happens until one starts."
            : `Run by ${runners.join(", ")}.`
        return answer(
          Stream.make({ key: execution.businessKey, workflow: execution.workflow, done, runners }),
          (row) => `${row.key}: ${row.done} ${by}`
        )
      }),
    { isChange: true }
  )

/** Changes an execution that has not ended, by its row: whoever runs it sees that at its next sweep. */
const request = (
  { executions }: Inside,
  { executionId }: Execution.Execution,
  to: (execution: Execution.Execution) => readonly [string, Execution.Execution]
) =>
  Effect.map(
    executions.modify(executionId, (execution) =>
      execution.end === undefined
        ? to(execution)
        : ["it has ended, and nothing was changed.", execution]
    ),
    Option.getOrElse(() => "it is no longer stored.")
  )

const purgeOne = (inside: Inside, execution: Execution.Execution) =>
  execution.isPurged
    ? Effect.succeed("was purged before, and nothing was changed.")
    : Effect.flatMap(
        execution.end === undefined ? Effect.succeed(false) : purge(inside.executions, execution),
        (isPurged) =>
          isPurged
            ? Effect.succeed(
                "its payload, its result and its steps are deleted. The key stays taken."
              )
            : refused(
                409,
                new Execution.ExecutionNotEnded({
                  workflow: execution.workflow,
                  businessKey: execution.businessKey
                }).message
              )
      )

const pageLimit = 1_000

/** All operations, for the command and for the routes. */
export const operations: Readonly<Record<string, Operation>> = {
  list: operation(
    "lists executions and batches, the oldest first",
    ["workflow", "state", "limit"],
    (inside, { limit = 100, state, workflow }) => {
      const wanted =
        state === undefined
          ? (["Running", "Waiting"] as const)
          : state === "all"
            ? undefined
            : [states[state]]
      const rows = Stream.paginateChunkEffect(undefined, (after: store.Cursor | undefined) =>
        Effect.map(
          inside.executions.list({ workflow, states: wanted }, after, Math.min(limit, pageLimit)),
          (page) => [
            Chunk.unsafeFromArray(page),
            page.length < pageLimit ? Option.none() : Option.fromNullable(page.at(-1))
          ]
        )
      ).pipe(
        Stream.take(limit),
        Stream.mapEffect((execution) => statusOf(inside, execution))
      )
      return Effect.succeed(
        answer(
          rows,
          listLine,
          listLine({
            key: "KEY",
            workflow: "WORKFLOW",
            state: "STATE",
            started: undefined,
            now: "NOW"
          })
        )
      )
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
        const by =
          runners.length === 0
            ? "No process runs workflows on this database."
            : `Workflows are run by ${runners.join(", ")}.`
        const shown = answer(Stream.fromIterable(reports), reportText)
        return { rows: shown.rows, text: Stream.concat(shown.text, Stream.make(`\n${by}`)) }
      })
  ),
  results: operation(
    "prints the result of each item of a batch",
    ["key", "reveal"],
    (inside, input) =>
      Effect.gen(function* () {
        const { businessKey } = yield* onlyBatch(
          inside,
          input,
          "only a batch has results: `show` prints those of an execution."
        )
        const { found, results } = batch.make(inside.batches, PayoutBatch.workflow.name)
        yield* batchErrors(found(businessKey))
        const rows = results(businessKey).pipe(
          Stream.mapError((error) =>
            error._tag === "StorageError"
              ? error
              : new Refused({ status: 409, message: error.message })
          ),
          Stream.map((result) => resultRow(result, input.reveal === true))
        )
        return answer(rows, ({ amount, currency, error, item, reference, state, status }) =>
          `${fit(item, 24)} ${fit(state, 12)} ${fit(reference, 26)} ${error === "" ? `${status} ${amount} ${currency}` : error}`.trimEnd()
        )
      }),
    { isTable: true }
  ),
  resume: change(
    "ends the pause of an execution now, or of a batch",
    (inside, execution) =>
      request(inside, execution, (stored) =>
        stored.pause === undefined
          ? ["it is in no pause, and nothing was changed.", stored]
          : ["its pause ends within 10 seconds.", { ...stored, dueMillis: 0 }]
      ),
    ({ resume }, { businessKey }) =>
      batchErrors(
        Effect.as(resume(businessKey), "if it was paused, it sends items again within a second.")
      )
  ),
  interrupt: change(
    "stops an execution, after the outcome of its request is known, or a batch",
    (inside, execution) =>
      request(inside, execution, (stored) => [
        "it is to end. If the outcome of a request is unknown, that is continued first.",
        { ...stored, isCancelRequested: true, dueMillis: words.dueOnInterrupt(stored) }
      ]),
    ({ interrupt }, { businessKey }) =>
      batchErrors(
        Effect.as(
          interrupt(businessKey),
          "it sends no further items, for good. Those that were sent continue."
        )
      )
  ),
  pause: change(
    "pauses a batch: it sends no further items until `resume`",
    (_, { workflow }) =>
      refused(
        409,
        `it is an execution of ${workflow}, and only a batch can be paused. \`interrupt\` stops an execution for good.`
      ),
    ({ pause }, { businessKey }) =>
      batchErrors(
        Effect.as(
          pause(businessKey),
          "it sends no further items until `resume`. Those that were sent continue."
        )
      )
  ),
  purge: change(
    "deletes what is stored of an execution or a batch that has ended, except its key",
    purgeOne,
    ({ purge }, execution, inside) =>
      execution.isPurged
        ? purgeOne(inside, execution)
        : Effect.zipRight(batchErrors(purge(execution.businessKey)), purgeOne(inside, execution))
  )
}
