/** The items of a batch: how much each pays, why it is in its state, and what an operator does about it. */
import type * as Payout from "@manilla/payouts/Payout"
import type * as Batches from "@manilla/workflow-engine/Batches"
import * as Execution from "@manilla/workflow-engine/Execution"
import type * as Store from "@manilla/workflow-engine/Store"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Batch from "../../Batch.js"
import * as DisbursePayout from "../../DisbursePayout.js"
import { lastError } from "../batch/doubts.js"
import * as batch from "../batch/operate.js"
import * as rules from "../batch/rules.js"
import { refused } from "./answers.js"
import { itemStates } from "./states.js"
import * as words from "./words.js"

/** The words for the items in each state. */
export const counts = {
  completed: "paid",
  pending: "created, status not final, followed by DisbursePayout",
  created: "created, status not final",
  sending: "being sent",
  unknown: "in doubt: their requests are continued with the same keys",
  inDoubt: "in doubt: ask the service about each of them",
  notCompleted: "not paid: the payout has another final status",
  failed: "not paid: the request was refused",
  waiting: "not sent",
  purged: "purged"
} as const satisfies Record<Batches.State, string>

/** Advice for each state. Only a request that was refused may be repeated under another key. */
const advice: Record<Batches.State, string> = {
  waiting: "Its batch sends it. To prevent that, pause or interrupt the batch.",
  sending: "Its request is under way: look again in a moment.",
  created: "Its batch reads the status of its payout: look again in a moment.",
  unknown:
    "The money may have moved. The same request is sent again with the same key until the outcome is known: do not pay it in any other way.",
  pending: "Its payout exists, and its status is read until it is final.",
  completed: "It is paid: there is nothing to do.",
  notCompleted:
    "Its payout ended, and is not sent again. Ask the service whether the money has moved before you pay it in any other way.",
  failed:
    "This batch has paid nothing for it, and does not send it again. If its key was never used before, pay the corrected row in a new batch.",
  inDoubt:
    "The money may have moved. Ask the service about its key before you pay it in any other way.",
  purged: "Its result was purged. Ask the service about its key."
}

/** A request that was to be sent, and that no process continues now. */
const leftAlone = {
  text: "may have been sent; no runner is alive",
  advice:
    "The money may have moved. Its batch continues the same request with the same key when a runner starts: do not pay it in any other way."
}

export const said = (state: Batches.State, isRun: boolean) =>
  state === "sending" && !isRun ? leftAlone : { text: counts[state], advice: advice[state] }

const defect = { message: "a defect" }

const errorOf = ({ end }: Pick<Batch.ItemResult, "end">) => {
  const exit = Option.getOrUndefined(end)
  if (exit?._tag !== "Failure") return undefined
  return Option.getOrElse(Cause.failureOption(exit.cause), () => defect)
}

/** A result of an item, in the columns of a CSV file. */
export const resultRow = ({ businessKey, end, key, state }: Batch.ItemResult, reveal: boolean) => {
  const exit = Option.getOrUndefined(end)
  const paid: Partial<Payout.Payout> = exit?._tag === "Success" ? exit.value : {}
  const { amount = "", currency = "", destination, reference = "", status = "" } = paid
  const error = errorOf({ end })?.message ?? ""
  const row = { item: key, key: businessKey, state, reference, status, amount, currency, error }
  return reveal ? { ...row, destination: destination ? Redacted.value(destination) : "" } : row
}

const decodeRequest = Schema.decodeOption(
  Schema.parseJson(Schema.Struct({ amount: Schema.String, currency: Schema.String }))
)

/** The execution of an item that was handed over. */
const executionOf = (store: Store.Store, businessKey: string) =>
  store.find({ workflow: DisbursePayout.workflow.name, businessKey })

/** The next step of an open execution, and its last response. */
const nextOf = (store: Store.Store, execution: Execution.Execution, isRun: boolean) =>
  Effect.gen(function* () {
    const error = lastError(yield* store.steps(execution.executionId))
    const now = yield* Clock.currentTimeMillis
    const { brief } = words.state(Execution.toStatus(execution), now, isRun)
    const last = error?._tag === "OutcomeUnknown" ? error.cause : error
    return last === undefined ? brief : `${brief}. The last response: ${words.briefly(last)}`
  })

/** An item of a batch: how much, and why it is in its state. */
const itemRow = (store: Store.Store, batchKey: string, isRun: boolean) => (item: Batches.Item) =>
  Effect.gen(function* () {
    const { number, request } = item
    const { advice, text } = said(item.state, isRun)
    const result = yield* batch.make(store.batches).resultOf(batchKey, item)
    const { error, item: name, key, reference, state, status } = resultRow(result, false)
    const why = words.briefly(errorOf(result) ?? defect)
    const paid = Option.getOrElse(decodeRequest(request), () => ({ amount: "", currency: "" }))
    const execution = Option.getOrUndefined(yield* executionOf(store, key))
    const isOpen = state === "unknown" || state === "pending"
    const follower = isOpen && execution?.end === undefined ? execution : undefined
    const next = follower && (yield* nextOf(store, follower, isRun))
    const doubt = "the money may have moved"
    const reasons: Partial<Record<Batches.State, string>> = {
      failed: why,
      inDoubt: `${doubt}: ${why}`,
      notCompleted: `the payout ${reference} ended ${status}`,
      ...(next && { unknown: `${doubt}; ${next}`, pending: `no final status yet; ${next}` })
    }
    return {
      number,
      item: name,
      key,
      state,
      ...paid,
      reference,
      why: reasons[state] ?? text,
      error,
      advice,
      /** Whether there is a history of it. */
      history: execution !== undefined
    }
  })

/** A row of `items`. */
export type ItemRow = Effect.Effect.Success<ReturnType<ReturnType<typeof itemRow>>>

/** The most items of one page, which is one read of the database. */
const mostItems = 500

/** One page of the items of a batch. */
export const page = (
  store: Store.Store,
  batchKey: string,
  {
    after,
    item,
    only,
    ...input
  }: {
    readonly after?: number | undefined
    readonly item?: string | undefined
    readonly limit: number
    readonly only: keyof typeof itemStates
  }
) =>
  Effect.gen(function* () {
    yield* batch.make(store.batches).found(batchKey)
    const limit = Math.min(input.limit, mostItems)
    const keys = item === undefined ? undefined : [item]
    const filter = { states: itemStates[only], after, keys }
    const found = yield* store.batches.read(batchKey, filter, limit)
    // Those of one page share statements.
    const isRun = words.isRun(yield* store.runners)
    const rows = yield* Effect.forEach(found, itemRow(store, batchKey, isRun), {
      concurrency: mostItems
    })
    return { rows, next: rows.length === limit ? rows.at(-1)?.number : undefined }
  })

/** The execution of an item, which an operator may change. Otherwise, its state says what to do. */
export const changeable = (store: Store.Store, batchKey: string, item: string) =>
  Effect.gen(function* () {
    const [found] = yield* store.batches.read(batchKey, { keys: [item] }, 1)
    if (found === undefined) return yield* refused(404, `the batch has no item ${item}`)
    const key = yield* rules.businessKey(batchKey, item)
    const execution = Option.getOrUndefined(yield* executionOf(store, key))
    if (execution?.end === undefined && execution !== undefined) return execution
    const { state } = found
    const { advice } = said(state, words.isRun(yield* store.runners))
    return yield* refused(409, `nothing was changed: ${item} is ${state}. ${advice}`)
  })
