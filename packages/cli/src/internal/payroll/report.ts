/** The report of a payroll: the result of each row, and advice. */
import type * as Payout from "@manilla/payouts/Payout"
import type * as Batch from "@manilla/workflows/Batch"
import * as Doubt from "@manilla/workflows/Doubt"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import { rmSync, writeFileSync } from "node:fs"
import { open } from "../Failure.js"
import * as output from "../output.js"
import * as doubts from "./doubts.js"
import type { Row } from "./file.js"
import { decimal, type Words } from "./words.js"

type Result = keyof Words["results"]

export type Line = ReturnType<typeof make>[number]

const reasonOf = (cause: Cause.Cause<NonNullable<Batch.Doubt["error"]>>, words: Words): string =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => words.defect,
    onSome: (error) =>
      words.error(error.message, doubts.codeOf(error, words), doubts.said(error, "serviceMessage"))
  })

/** If it is not paid, it has a reason and advice. */
const outcome = (result: Result, reason: string, advice: string, payout?: Payout.Payout) => ({
  result,
  reference: payout?.reference ?? "",
  provider_reference: payout?.provider_reference ?? "",
  reason,
  advice
})

const ofPayout = (payout: Payout.Payout, words: Words) =>
  payout.status === "COMPLETED"
    ? outcome("paid", "", "", payout)
    : outcome("check", words.finalStatus(payout.status), words.check, payout)

const outcomeOf = (
  item: Batch.ItemResult | undefined,
  doubt: Batch.Doubt | undefined,
  notSent: string,
  words: Words
) => {
  if (item === undefined || Option.isNone(item.end)) {
    if (item?.state === "unknown") {
      const reason = doubt === undefined ? "" : words.lastLook(doubts.answer(doubt, words))
      return outcome("in doubt", reason, words.check)
    }
    if (item?.state === "sending") return outcome("in doubt", words.mayBeSent, words.check)
    const isSent = item !== undefined && item.state !== "waiting"
    return isSent ? outcome("sent", "", words.check) : outcome("not sent", "", notSent)
  }
  return Exit.match(item.end.value, {
    onSuccess: (payout) => ofPayout(payout, words),
    onFailure: (cause) =>
      Option.exists(Cause.failureOption(cause), Doubt.isOfOtherRequest)
        ? outcome("check", words.keyOfOther(reasonOf(cause, words), item.businessKey), words.check)
        : item.state === "failed"
          ? outcome("not paid", reasonOf(cause, words), words.correct)
          : outcome("check", reasonOf(cause, words), words.check)
  })
}

/** A line for each row of the file, in its order, with this advice for those that were not sent. */
export const make = (
  rows: ReadonlyArray<Row>,
  items: ReadonlyArray<Batch.ItemResult>,
  inDoubt: ReadonlyArray<Batch.Doubt>,
  notSent: string,
  words: Words
) => {
  const byKey = new Map(items.map((item) => [item.key, item]))
  const doubtsByKey = new Map(inDoubt.map((doubt) => [doubt.key, doubt]))
  return rows.map(({ item: { key, request }, line }) => ({
    line,
    employee: key,
    amount: request.amount,
    currency: request.currency,
    ...outcomeOf(byKey.get(key), doubtsByKey.get(key), notSent, words)
  }))
}

/** The result and the advice of rows that are not paid, once for all rows with both. */
export const advices = (lines: ReadonlyArray<Line>) =>
  Arr.dedupeWith(
    lines.filter(({ result }) => result !== "paid"),
    (one, other) => one.result === other.result && one.advice === other.advice
  ).map(({ advice, result }) => ({ advice, result }))

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

/** The report as CSV, with the columns of its language. */
const csvOf = (lines: ReadonlyArray<Line>, words: Words): string => {
  const cells = lines.map((line) => ({
    ...line,
    amount: decimal(line.amount, words),
    result: words.results[line.result]
  }))
  const columns = Record.toEntries(words.headers).map(([key, header]) => ({ key, header }))
  return output.csvText(cells, { ...words.csv, columns, header: true })
}

/** Writes the report for its owner only. An earlier one may be readable for others. */
export const write = (file: string, lines: ReadonlyArray<Line>, words: Words) =>
  Effect.try({
    try: () => {
      rmSync(file, { force: true })
      writeFileSync(file, csvOf(lines, words), { mode: 0o600 })
    },
    catch: (cause) => open(words.noReport(String(cause)))
  })
