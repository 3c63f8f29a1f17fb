/** The result of each row of a payroll: in words, in the report, and as an exit code. */
import type * as Errors from "@manilla/core/Errors"
import type * as Payout from "@manilla/payouts/Payout"
import type * as Engine from "@manilla/workflow-engine/Engine"
import type * as Execution from "@manilla/workflow-engine/Execution"
import type * as Batch from "@manilla/workflows/Batch"
import * as Doubt from "@manilla/workflows/Doubt"
import type * as Policy from "@manilla/workflows/Policy"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { rmSync, writeFileSync } from "node:fs"
import { failed, open } from "../failure.js"
import * as output from "../output.js"
import { type Payroll, personOf, rangesOf, type Row } from "./file.js"
import { total } from "./preview.js"
import { decimal, listed, type Words } from "./words.js"

type Result = keyof Words["results"]

type RowError = NonNullable<Batch.Doubt["error"]>

export type Line = ReturnType<typeof make>[number]

/** The result of an item, and its reason in detail and, where that is long, in brief. */
interface Verdict {
  readonly result: Result
  readonly reason: string
  readonly brief?: string
  /** Whether its key belongs to another request. */
  readonly isOfOther?: boolean
  readonly payout?: Payout.Payout
}

/** A field of the last response. A row in doubt has an earlier request, of which that says nothing. */
const said = (
  error: RowError | Errors.ReadError,
  name: "code" | "serviceMessage" | "status"
): string | undefined => {
  const isOfCause = error._tag === "OutcomeUnknown" || error._tag === "TokenUnavailableError"
  if (isOfCause && error.cause !== undefined) return said(error.cause, name)
  return Predicate.hasProperty(error, name) && error[name] !== undefined
    ? output.text(error[name])
    : undefined
}

/** Such as `INSUFFICIENT_FUNDS`, or the status; none without a response. */
const codeOf = (error: RowError | Errors.ReadError, words: Words): string | undefined => {
  const status = said(error, "status")
  return status && (said(error, "code") ?? words.status(status)).slice(0, 40)
}

/** Such as `the service responds with INSUFFICIENT_FUNDS`. */
export const responseOf = (
  error: RowError | Errors.ReadError | undefined,
  words: Words
): string => {
  if (error === undefined) return words.noResponseYet
  const code = codeOf(error, words)
  return code === undefined ? words.noResponse : words.responds(code)
}

/** An error in a sentence, without the details of its request. */
const briefOf = (error: RowError, words: Words): string => {
  const code = codeOf(error, words)
  if (code !== undefined) return words.refusal(code, said(error, "serviceMessage"))
  return error._tag === "OutcomeUnknown" ? words.lastLook(words.noResponse) : error.message
}

const verdictOf = (
  item: Batch.ItemResult,
  doubt: Batch.Doubt | undefined,
  unread: Errors.ReadError | undefined,
  words: Words
): Verdict => {
  const end = Option.getOrUndefined(item.end)
  if (end !== undefined && Exit.isSuccess(end)) {
    const { status } = end.value
    return status === "COMPLETED"
      ? { result: "paid", reason: "", payout: end.value }
      : { result: "check", reason: words.finalStatus(status), payout: end.value }
  }
  const error =
    end === undefined ? doubt?.error : Option.getOrUndefined(Cause.failureOption(end.cause))
  const isOther = error !== undefined && Doubt.isOfOtherRequest(error)
  // The other request may be the earlier one of this row.
  const isOfOther = isOther && !/FLIGHT|PROGRESS/i.test(codeOf(error, words) ?? "")
  const ofOther = isOfOther ? { brief: words.ofOther, isOfOther } : {}
  if (end === undefined) {
    const lastLook = (error: Parameters<typeof responseOf>[0]) =>
      words.lastLook(responseOf(error, words))
    const present: { readonly [_ in Batch.ItemResult["state"]]?: Verdict } = {
      waiting: { result: "not sent", reason: "" },
      sending: { result: "in doubt", reason: words.mayBeSent },
      unknown: { result: "in doubt", reason: doubt === undefined ? "" : lastLook(doubt.error) }
    }
    const sent = unread === undefined ? "" : lastLook(unread)
    return { ...(present[item.state] ?? { result: "sent", reason: sent }), ...ofOther }
  }
  if (error === undefined) return { result: "check", reason: words.defect }
  const result = item.state === "failed" && !isOther ? "not paid" : "check"
  const brief = briefOf(error, words)
  const detailed = words.detailed(error.message, brief)
  const reason = isOfOther ? words.keyOfOther(detailed, item.businessKey) : detailed
  return { result, reason, brief, ...ofOther }
}

/**
 * A line for each row of the file, in its order, with this advice for those that were not sent. `unread` is the error of the
 * last reads, if no status can be read.
 */
export const make = (
  rows: ReadonlyArray<Row>,
  items: ReadonlyArray<Batch.ItemResult>,
  inDoubt: ReadonlyArray<Batch.Doubt>,
  notSent: string,
  words: Words,
  unread?: Errors.ReadError
) => {
  const itemOf = new Map(items.map((item) => [item.key, item]))
  const doubtOf = new Map(inDoubt.map((doubt) => [doubt.key, doubt]))
  const { check, correct } = words
  const advice: Record<Result, string> = {
    paid: "",
    "not paid": correct,
    "not sent": notSent,
    sent: check,
    "in doubt": check,
    check
  }
  return rows.map((row) => {
    const { key, request } = row.item
    const item = itemOf.get(key)
    const none: Verdict = { result: "not sent", reason: "" }
    const verdict = item === undefined ? none : verdictOf(item, doubtOf.get(key), unread, words)
    const { brief, isOfOther = false, payout, reason, result } = verdict
    return {
      line: row.line,
      employee: key,
      name: row.name,
      label: `${words.line(row.line)}, ${personOf(row)}`,
      amount: request.amount,
      currency: request.currency,
      result,
      isOfOther,
      reference: payout?.reference ?? "",
      provider_reference: payout?.provider_reference ?? "",
      reason,
      brief: brief ?? reason,
      advice: advice[result]
    }
  })
}

const alikeMost = 5

/** A sentence for all of these, which differ in their words with digits, such as amounts and identifiers. */
const commonOf = ([first = "", ...others]: ReadonlyArray<string>): string =>
  first
    .split(" ")
    .map((word, i) => (others.every((other) => other.split(" ")[i] === word) ? word : "…"))
    .join(" ")

/** The rows that are not paid, each with its reason. Those of many rows with one reason are one line. */
export const unpaidRows = (lines: ReadonlyArray<Line>, words: Words) => {
  const others = lines.filter(({ result }) => result !== "paid")
  const groups = Arr.groupBy(
    others,
    ({ brief, result }) => `${result} ${brief.replace(/[^ ]*\d[^ ]*/g, "…")}`
  )
  return Object.values(groups).flatMap((same) => {
    const lineOf = (label: string, all: typeof same) => {
      const text = `${words.results[all[0].result]}. ${commonOf(all.map(({ brief }) => brief))}`
      return {
        label: `${label}, ${total(all, words)}${words.colon}`,
        text: output.text(text.trim())
      }
    }
    if (same.length <= alikeMost) return same.map((one) => lineOf(one.label, [one]))
    return [lineOf(words.rowsAt(same.length, rangesOf(same.map(({ line }) => line))), same)]
  })
}

/** The result and the advice of rows that are not paid, once for all rows with both. */
export const advices = (lines: ReadonlyArray<Line>) =>
  Arr.dedupeWith(
    lines.filter(({ result }) => result !== "paid"),
    (one, other) => one.result === other.result && one.advice === other.advice
  )

/** Such as `3 paid, 1 not paid`. */
export const summary = (lines: ReadonlyArray<Line>, words: Words): string =>
  Record.toEntries(words.results)
    .map(([result, name]) => ({
      count: lines.filter((line) => line.result === result).length,
      name
    }))
    .filter(({ count, name }) => count > 0 || name === words.results.paid)
    .map(({ count, name }) => words.counted(count, name))
    .join(", ")

/** The report as CSV, with the columns of its language. Names have a column if the file has one for them. */
const csvOf = (lines: ReadonlyArray<Line>, words: Words): string => {
  const hasNames = lines.some(({ name }) => name !== "")
  const columns = Record.toEntries(words.headers)
    .filter(([key]) => key !== "name" || hasNames)
    .map(([key, header]) => ({ key, header }))
  const cells = lines.map((line) => ({
    ...line,
    amount: decimal(line.amount, words),
    result: words.results[line.result]
  }))
  return output.csvText(cells, { ...words.csv, columns, header: true })
}

/** Writes the report beside the file, for its owner only, and returns its name. An earlier one may be readable for others. */
export const write = (file: string, lines: ReadonlyArray<Line>, words: Words) =>
  Effect.try({
    try: () => {
      const report = file.replace(/(\.csv)?$/i, ".report.csv")
      rmSync(report, { force: true })
      writeFileSync(report, csvOf(lines, words), { mode: 0o600 })
      return report
    },
    catch: (cause) => open(words.noReport(String(cause)))
  })

const nextTry = (doubts: ReadonlyArray<Batch.Doubt>, now: number, words: Words): string => {
  const times = doubts.flatMap(({ nextMillis }) => (nextMillis === undefined ? [] : [nextMillis]))
  if (times.length === 0) return words.isTried
  const seconds = Math.max(0, Math.ceil((Math.min(...times) - now) / 1_000))
  return seconds < 120 ? words.nextSeconds(seconds) : words.nextMinutes(Math.ceil(seconds / 60))
}

/** A line for each response, such as `10 in doubt: the service responds with X (the money may have moved); next try in 40 s`. */
export const doubts = (inDoubt: ReadonlyArray<Batch.Doubt>, now: number, words: Words) =>
  Object.entries(Arr.groupBy(inDoubt, ({ error }) => responseOf(error, words))).map(
    ([response, same]) => {
      const subject = words.inDoubt(same.length, response)
      return { subject, text: words.withNext(subject, nextTry(same, now, words)) }
    }
  )

export type RunError =
  | Batch.InvalidItems
  | Batch.ItemsDiffer
  | Engine.DatabaseUnavailable
  | Engine.UnsupportedSchema
  | Execution.ExecutionNotFound
  | Execution.ExecutionPurged
  | Execution.StorageError
  | Policy.InvalidPolicy

/**
 * The failure of a payroll that stopped before its end. An error of the state file says nothing about its payouts, unless
 * this payroll is new, and nothing was sent.
 */
export const failureOfRun = (
  error: RunError,
  state: string,
  { file, words }: Payroll,
  isNew = false
) => {
  if (error._tag === "ItemsDiffer") {
    const employees = error.issues.map(({ field }) => field)
    return failed(words.differs(error.message, listed(employees, words), file))
  }
  const isOfDatabase = error._tag === "DatabaseUnavailable" || error._tag === "StorageError"
  const message = isOfDatabase ? words.broken(error.message) : error.message
  return isNew ? failed(`${message}\n${words.notBegun}`) : open(`${message}\n${words.again(state)}`)
}

const unpaid: ReadonlySet<Result> = new Set(["not paid", "not sent"])

/** The failure of a payroll with rows that are not paid. If one of them may be paid, it is open. */
export const failureOf = (lines: ReadonlyArray<Line>, words: Words) => {
  const others = lines.filter(({ result }) => result !== "paid").length
  if (others === 0) return undefined
  const failure = lines.every(({ result }) => unpaid.has(result)) ? failed : open
  return failure(words.unpaid(others, lines.length))
}
