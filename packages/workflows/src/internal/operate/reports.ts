/** An execution or a batch as an operator sees it: its state, its history, its money, and what it permits. */
import type * as Batches from "@manilla/workflow-engine/Batches"
import { exitJson } from "@manilla/workflow-engine/Encoding"
import * as Execution from "@manilla/workflow-engine/Execution"
import type * as Store from "@manilla/workflow-engine/Store"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Batch from "../../Batch.js"
import * as batch from "../batch/operate.js"
import { workflowName } from "../batch/rules.js"
import { plain } from "./answers.js"
import { counts, said } from "./items.js"
import * as money from "./money.js"
import * as times from "./times.js"
import * as words from "./words.js"

export const isBatch = ({ workflow }: Pick<Store.Name, "workflow">) => workflow === workflowName

export const iso = (millis?: number) =>
  millis === undefined ? undefined : new Date(millis).toISOString()

type Runners = ReadonlyArray<Store.Runner>

/** The words for the phases of a batch that has not ended. */
const phases: Partial<Record<Batches.Phase, words.Words>> = {
  storing: words.said("waits for its items", " Start the batch again if its start has failed."),
  running: words.said("sends its items"),
  paused: words.said("is paused", " Items that were sent continue. It sends others when resumed."),
  interrupted: words.said("is interrupted", " Items that were sent continue. It sends no others.")
}

const allSent = words.said("has sent all its items", " It follows those that have not ended.")

/**
 * The most items of an open batch that a list counts. To read a million takes a second, and an index on their states would make
 * each item dearer.
 */
const mostCounted = 20_000

const decodeSummary = Schema.decodeOption(exitJson(Batch.Summary, Schema.Unknown))

/** The items of a batch that are not paid. */
interface Unpaid {
  /** Undefined if a list does not count them. */
  readonly count: number | undefined
  readonly words: string
  readonly isSent: boolean
  readonly text?: string
}

/** The items of a batch that are not paid, and the reason in few words. None if its end cannot be read. */
const unpaidOf = (
  table: Batches.Service,
  { businessKey, exit }: Execution.Execution,
  { phase, total }: Batches.Stored
) =>
  Effect.gen(function* () {
    const isOpen = exit === undefined && phase !== "purged"
    const items = `its ${money.grouped(String(total))} items`
    if (isOpen && total > mostCounted) {
      const text = `Only \`show\` counts those of ${items} that are in doubt or not paid.`
      const uncounted: Unpaid = { count: undefined, words: "doubts: see show", isSent: false, text }
      return Option.some(uncounted)
    }
    const summary = isOpen
      ? Option.some(yield* batch.summaryOf(table, businessKey, total))
      : Option.filterMap(
          decodeSummary(exit ?? ""),
          Exit.match({ onSuccess: Option.some, onFailure: Option.none })
        )
    return Option.map(summary, ({ failed, inDoubt, notCompleted, notStarted, purged }): Unpaid => {
      const isOver = phase === "ended" || phase === "interrupted"
      const kinds = [
        [failed + notCompleted, "not paid"],
        [inDoubt, "in doubt"],
        [isOver ? notStarted : 0, "not sent"]
      ] as const
      const some = kinds.filter(([count]) => count > 0)
      const none = phase === "ended" && purged === 0 ? "all paid" : ""
      const words = some.map((kind) => kind.join(" ")).join(", ") || none
      return {
        count: some.reduce((sum, [count]) => sum + count, 0),
        words,
        isSent: total > 0 && notStarted === 0,
        ...(some.length > 0 && { text: `Of ${items}: ${words}.` })
      }
    })
  })

/** A batch, unless it is another execution. */
export const batchOf = ({ batches }: Store.Store, execution: Execution.Execution) =>
  Effect.map(
    isBatch(execution) ? batches.find(execution.businessKey) : Effect.succeedNone,
    Option.getOrUndefined
  )

/** An execution, and the phase of a batch that has not ended. */
export const statusOf = (store: Store.Store, execution: Execution.Execution, runners: Runners) =>
  Effect.gen(function* () {
    const status = Execution.toStatus(execution)
    const { businessKey: key, dueMillis, end, workflow } = status
    const now = yield* Clock.currentTimeMillis
    const stored = yield* batchOf(store, execution)
    const isPurged = status.isPurged || stored?.phase === "purged"
    const phase = end === undefined ? stored?.phase : undefined
    // Others wait for an event, or are due at once.
    const isTimed = status.state === "Waiting" && dueMillis > 0 && dueMillis < Execution.never
    const isToEnd = end === undefined && status.isCancelRequested && !isBatch(status)
    const unpaid =
      stored && Option.getOrUndefined(yield* unpaidOf(store.batches, execution, stored))
    const { brief, text } =
      (phase === "running" && unpaid?.isSent ? allSent : phase && phases[phase]) ??
      (unpaid && end && words.said(`ended ${times.distance(end.atMillis, now)}`)) ??
      words.state({ ...status, isPurged }, now, words.isRun(runners))
    return {
      key,
      workflow,
      state: phase ?? status.state.toLowerCase(),
      started: iso(status.startedMillis),
      ended: iso(end?.atMillis),
      resource: status.resource,
      due: isTimed ? iso(dueMillis) : undefined,
      now: unpaid?.words ? `${unpaid.words}; ${brief}` : brief,
      text: [text, isToEnd && words.toEnd, unpaid?.text].filter(Boolean).join(" "),
      failure: words.failureOf(execution),
      /** The items of a batch that are not paid or in doubt, or are not sent any more. */
      unpaid: unpaid?.count
    }
  })

/** The changes that an operator may make, and their effects. */
interface Action {
  readonly name: "resume" | "pause" | "interrupt"
  readonly effect: string
}

const stop: Action = {
  name: "interrupt",
  effect: "It sends no further items, for good. Those that were sent continue to their ends."
}

const batchActions: Partial<Record<Batches.Phase, ReadonlyArray<Action>>> = {
  running: [
    {
      name: "pause",
      effect: "It sends no further items until you resume it. Those that were sent continue."
    },
    stop
  ],
  paused: [{ name: "resume", effect: "It sends items again." }, stop]
}

const actionsOf = (
  execution: Execution.Execution,
  events: ReadonlyArray<words.Event>
): ReadonlyArray<Action> => {
  if (execution.end !== undefined) return []
  const resume = words.resuming(execution)
  const interrupt = words.interrupting(execution, events)
  return [
    ...(resume === undefined ? [] : [{ name: "resume", effect: resume } as const]),
    ...(execution.isCancelRequested ? [] : [{ name: "interrupt", effect: interrupt } as const])
  ]
}

export const reportOf = (
  store: Store.Store,
  execution: Execution.Execution,
  runners: Runners,
  reveal: boolean
) =>
  Effect.gen(function* () {
    const status = yield* statusOf(store, execution, runners)
    const events = words.events(execution, yield* store.steps(execution.executionId))
    const stored = yield* batchOf(store, execution)
    const now = yield* Clock.currentTimeMillis
    const sums = stored && (yield* money.of(store.batches, status.key, stored, now))
    return {
      ...status,
      actions: stored ? (batchActions[stored.phase] ?? []) : actionsOf(execution, events),
      remarks: sums?.remarks,
      items:
        sums &&
        Record.collect(counts, (state) => {
          const sum = sums.states[state]
          const { text } = said(state, words.isRun(runners))
          return sum === undefined ? [] : [{ state, text, ...sum }]
        }).flat(),
      events: events.map((event) => ({ ...event, at: iso(event.atMillis) })),
      payload: reveal && execution.payload !== "" ? execution.payload : undefined,
      result: reveal ? execution.exit : undefined
    }
  })

/** A row of `list`, and one of `show`. */
export type Status = Effect.Effect.Success<ReturnType<typeof statusOf>>
export type Report = Effect.Effect.Success<ReturnType<typeof reportOf>>

/** The items of a batch as a table: how many there are, their money and their state. */
const itemLines = ({ items = [], remarks = "" }: Report): ReadonlyArray<string> => {
  if (items.length === 0) return []
  const rows = [{ ...money.total(items), text: "in total" }, ...items].map((row) => ({
    text: row.text,
    items: money.grouped(String(row.items)),
    money: money.texts(row)
  }))
  const widthOf = (column: "items" | "money") => Math.max(...rows.map((row) => row[column].length))
  const lines = rows.map(
    (row) =>
      `  ${row.items.padStart(widthOf("items"))}  ${row.money.padStart(widthOf("money"))}  ${row.text}`
  )
  return [...lines, ...(remarks === "" ? [] : [`  ${remarks}`])]
}

export const lines = (report: Report): ReadonlyArray<string> => {
  const { events, key, payload, resource, result, state, text, workflow } = report
  const facts = Object.entries({ resource, payload, result })
  return [
    `${key} of ${workflow}: ${state}`,
    `  ${text}`,
    ...facts.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name}: ${value}`])),
    ...itemLines(report),
    "",
    ...events.map((event) => `  ${times.moment(event.atMillis)}  ${words.line(event)}`),
    ""
  ].map(plain)
}
