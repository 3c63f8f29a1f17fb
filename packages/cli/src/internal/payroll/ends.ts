/** How a payroll ends, as an exit code: only a payroll of which nothing may be paid has failed. */
import type * as Engine from "@manilla/workflow-engine/Engine"
import type * as Execution from "@manilla/workflow-engine/Execution"
import type * as Batch from "@manilla/workflows/Batch"
import type * as Policy from "@manilla/workflows/Policy"
import { failed, open } from "../Failure.js"
import type { Line } from "./report.js"

export type RunError =
  | Batch.InvalidItems
  | Batch.ItemsDiffer
  | Engine.DatabaseUnavailable
  | Engine.UnsupportedSchema
  | Execution.ExecutionNotFound
  | Execution.ExecutionPurged
  | Execution.StorageError
  | Policy.InvalidPolicy

/** The failure of a payroll that did not come to its end. An error of the state file says nothing about its payouts. */
export const ofRun = (error: RunError, file: string, again: string) =>
  error._tag === "ItemsDiffer"
    ? failed(
        `${error.message}\nThe batch is the period: restore ${file}. Pay a new or corrected row alone, from a new file with another --period. There, any other row would be paid again.`
      )
    : open(`${error.message}\n${again}`)

const unpaid: ReadonlySet<Line["result"]> = new Set(["not paid", "not sent"])

/** The failure of a payroll with rows that are not paid, or perhaps not. */
export const ofLines = (lines: ReadonlyArray<Line>) => {
  const others = lines.filter(({ result }) => result !== "paid").length
  if (others === 0) return undefined
  const failure = lines.every(({ result }) => unpaid.has(result)) ? failed : open
  return failure(
    `${others} of ${lines.length} rows are not paid, or it is not certain that they are. Each says what to do.`
  )
}
