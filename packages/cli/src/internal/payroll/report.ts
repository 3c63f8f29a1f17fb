/** The report of a payroll: the result of each row, and advice. */
import type * as Payout from "@manilla/payouts/Payout"
import type * as Batch from "@manilla/workflows/Batch"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { rmSync, writeFileSync } from "node:fs"
import { open } from "../Failure.js"
import * as output from "../output.js"
import * as doubts from "./doubts.js"
import type { Row } from "./file.js"

/** `sent`, `in doubt` and `not sent` have not ended. */
const results = ["paid", "not paid", "check", "sent", "in doubt", "not sent"] as const

export type Line = ReturnType<typeof make>[number]

/** A payroll ends with rows that were not sent only after an interrupt. */
export const interrupted =
  "The payroll was interrupted, and never sends it: pay it from a new file, with another --period."

/** Only the command knows, when it runs again, whether the row is still to be sent. */
export const stopped =
  "The command was stopped: run it again, to its end, before you pay this in any other way."

const defect = { message: "It ended with a defect." }

const reasonOf = (cause: Cause.Cause<{ readonly message: string }>): string =>
  Option.getOrElse(Cause.failureOption(cause), () => defect).message

const check = "It may be paid. Ask the service before you pay it in any other way."

/** Another state file may have paid the row under the same key: that is refused too. */
const correct =
  "Unless this period was sent from another state file before, nothing was paid: put the corrected row into a new file, with another --period."

/** If it is not paid, it has a reason and advice. */
const outcome = (
  result: (typeof results)[number],
  reason: string,
  advice: string,
  payout?: Payout.Payout
) => ({
  result,
  reference: payout?.reference ?? "",
  provider_reference: payout?.provider_reference ?? "",
  reason,
  advice
})

const ofPayout = (payout: Payout.Payout) =>
  payout.status === "COMPLETED"
    ? outcome("paid", "", "", payout)
    : outcome("check", `The final status is ${payout.status}.`, check, payout)

const outcomeOf = (
  item: Batch.ItemResult | undefined,
  doubt: Batch.Doubt | undefined,
  notSent: string
) => {
  if (item === undefined || Option.isNone(item.end)) {
    if (item?.state === "unknown") {
      const reason = doubt === undefined ? "" : `At the last look, ${doubts.answer(doubt)}.`
      return outcome("in doubt", reason, check)
    }
    const isSent = item !== undefined && item.state !== "waiting"
    return isSent ? outcome("sent", "", check) : outcome("not sent", "", notSent)
  }
  return Exit.match(item.end.value, {
    onSuccess: ofPayout,
    onFailure: (cause) =>
      Option.exists(Cause.failureOption(cause), doubts.isOfOther)
        ? outcome(
            "check",
            `${reasonOf(cause)} Its key, ${item.businessKey}, belongs to another request.`,
            check
          )
        : item.state === "failed"
          ? outcome("not paid", reasonOf(cause), correct)
          : outcome("check", reasonOf(cause), check)
  })
}

/** A line for each row of the file, in its order, with this advice for those that were not sent. */
export const make = (
  rows: ReadonlyArray<Row>,
  items: ReadonlyArray<Batch.ItemResult>,
  inDoubt: ReadonlyArray<Batch.Doubt>,
  notSent: string
) => {
  const byKey = new Map(items.map((item) => [item.key, item]))
  const doubtsByKey = new Map(inDoubt.map((doubt) => [doubt.key, doubt]))
  return rows.map(({ item: { key, request }, line }) => ({
    line,
    employee: key,
    amount: request.amount,
    currency: request.currency,
    ...outcomeOf(byKey.get(key), doubtsByKey.get(key), notSent)
  }))
}

/** The result and the advice of rows that are not paid, once for all rows with both. */
export const advices = (lines: ReadonlyArray<Line>) =>
  Arr.dedupeWith(
    lines.filter(({ result }) => result !== "paid"),
    (one, other) => one.result === other.result && one.advice === other.advice
  ).map(({ advice, result }) => ({ advice, result }))

/** Such as `3 paid, 1 not paid`. */
export const summary = (lines: ReadonlyArray<Line>): string =>
  results
    .map((result) => [lines.filter((line) => line.result === result).length, result] as const)
    .filter(([count, result]) => count > 0 || result === "paid")
    .map((counted) => counted.join(" "))
    .join(", ")

/** Writes the report for its owner only. An earlier one may be readable for others. */
export const write = (file: string, lines: ReadonlyArray<Line>) =>
  Effect.try({
    try: () => {
      rmSync(file, { force: true })
      writeFileSync(file, output.csvText(lines, { header: true }), { mode: 0o600 })
    },
    catch: (cause) =>
      open(
        `The report cannot be written (${String(cause)}): close it, and run the same command again.`
      )
  })
