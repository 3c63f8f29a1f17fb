/** The report of a payroll: the result of each row, and advice. */
import type * as Payout from "@manilla/payouts/Payout"
import type * as Batch from "@manilla/workflows/Batch"
import { stringify } from "csv-stringify/sync"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { writeFileSync } from "node:fs"
import type { Row } from "./file.js"

/** `sent` and `not sent` have not ended. */
const results = ["paid", "not paid", "check", "sent", "not sent"] as const

export interface Line {
  readonly line: number
  readonly employee: string
  readonly amount: string
  readonly currency: string
  readonly result: (typeof results)[number]
  readonly reference: string
  readonly provider_reference: string
  /** The reason and the remedy, if it is not paid. */
  readonly advice: string
}

const open = "It continues when you run the command again."

const defect = { message: "It ended with a defect." }

const reasonOf = (cause: Cause.Cause<{ readonly message: string }>): string =>
  Option.getOrElse(Cause.failureOption(cause), () => defect).message

const check = "It may be paid. Ask the service before you pay it in any other way."

/** Another state file may have paid the row under the same key: that is refused too. */
const correct =
  "Unless this period was sent from another state file before, nothing was paid: put the corrected row into a new file, with another --period."

const outcome = (result: Line["result"], advice: string, payout?: Payout.Payout) => ({
  result,
  reference: payout?.reference ?? "",
  provider_reference: payout?.provider_reference ?? "",
  advice
})

const ofPayout = (payout: Payout.Payout) =>
  payout.status === "COMPLETED"
    ? outcome("paid", "", payout)
    : outcome("check", `The final status is ${payout.status}. ${check}`, payout)

const outcomeOf = (item: Batch.ItemResult | undefined) => {
  if (item === undefined || Option.isNone(item.end)) {
    const isSent = item !== undefined && item.state !== "waiting"
    return outcome(isSent ? "sent" : "not sent", open)
  }
  return Exit.match(item.end.value, {
    onSuccess: ofPayout,
    onFailure: (cause) =>
      item.state === "failed"
        ? outcome("not paid", `${reasonOf(cause)} ${correct}`)
        : outcome("check", `${reasonOf(cause)} ${check}`)
  })
}

/** A line for each row of the file, in its order. */
export const make = (rows: ReadonlyArray<Row>, items: ReadonlyArray<Batch.ItemResult>) => {
  const byKey = new Map(items.map((item) => [item.key, item]))
  return rows.map(({ item: { key, request }, line }): Line => ({
    line,
    employee: key,
    amount: request.amount,
    currency: request.currency,
    ...outcomeOf(byKey.get(key))
  }))
}

/** Such as `3 paid, 1 not paid`. */
export const summary = (lines: ReadonlyArray<Line>): string =>
  results
    .map((result) => [lines.filter((line) => line.result === result).length, result] as const)
    .filter(([count, result]) => count > 0 || result === "paid")
    .map((counted) => counted.join(" "))
    .join(", ")

/** Writes the report for its owner only. */
export const write = (file: string, lines: ReadonlyArray<Line>): void =>
  writeFileSync(file, stringify([...lines], { header: true }), { mode: 0o600 })
