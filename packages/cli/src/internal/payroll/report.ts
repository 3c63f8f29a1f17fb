/** The report of a payroll: the result of each row, and advice. */
import type * as Payout from "@manilla/payouts/Payout"
import type * as Batch from "@manilla/workflows/Batch"
import { stringify } from "csv-stringify/sync"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { writeFileSync } from "node:fs"
import type { Row } from "./file.js"

export interface Line {
  readonly line: number
  readonly employee: string
  readonly amount: string
  readonly currency: string
  readonly result: "paid" | "not paid" | "check" | "open"
  readonly reference: string
  /** The reason and the remedy, if it is not paid. */
  readonly advice: string
}

const open = "It continues when you run the command again."

const reasonOf = (cause: Cause.Cause<{ readonly message: string }>): string =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => "It ended with a defect.",
    onSome: ({ message }) => message
  })

const check = "It may be paid. Ask the service before you pay it in any other way."

/** Another state file may have paid the row under the same key: that is refused too. */
const correct =
  "Unless this period was sent from another state file before, nothing was paid: put the corrected row into a new file, with another --period."

type Outcome = Pick<Line, "result" | "reference" | "advice">

const ofPayout = ({ reference, status }: Payout.Payout): Outcome =>
  status === "COMPLETED"
    ? { result: "paid", reference, advice: "" }
    : { result: "check", reference, advice: `The final status is ${status}. ${check}` }

const outcomeOf = (result: Batch.ItemResult | undefined): Outcome => {
  if (result === undefined || Option.isNone(result.end)) {
    return { result: "open", reference: "", advice: open }
  }
  return Exit.match(result.end.value, {
    onSuccess: ofPayout,
    onFailure: (cause) =>
      result.state === "failed"
        ? { result: "not paid", reference: "", advice: `${reasonOf(cause)} ${correct}` }
        : { result: "check", reference: "", advice: `${reasonOf(cause)} ${check}` }
  })
}

/** A line for each row of the file, in its order. */
export const make = (
  rows: ReadonlyArray<Row>,
  results: ReadonlyArray<Batch.ItemResult>
): ReadonlyArray<Line> => {
  const byKey = new Map(results.map((result) => [result.key, result]))
  return rows.map(({ item: { key, request }, line }) => ({
    line,
    employee: key,
    amount: request.amount,
    currency: request.currency,
    ...outcomeOf(byKey.get(key))
  }))
}

/** Writes the report for its owner only. */
export const write = (file: string, lines: ReadonlyArray<Line>): void =>
  writeFileSync(file, stringify([...lines], { header: true }), { mode: 0o600 })
