/** How a payroll ends, as an exit code: only a payroll of which nothing may be paid has failed. */
import type * as Engine from "@manilla/workflow-engine/Engine"
import type * as Execution from "@manilla/workflow-engine/Execution"
import type * as Batch from "@manilla/workflows/Batch"
import type * as Policy from "@manilla/workflows/Policy"
import { failed, open } from "../Failure.js"
import type { Line } from "./report.js"
import { listed, type Words } from "./words.js"

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
export const ofRun = (error: RunError, file: string, again: string, words: Words) =>
  error._tag === "ItemsDiffer"
    ? failed(
        words.differs(
          error.message,
          listed(
            error.issues.map(({ field }) => field),
            words
          ),
          file
        )
      )
    : open(`${error.message}\n${again}`)

const unpaid: ReadonlySet<Line["result"]> = new Set(["not paid", "not sent"])

/** The failure of a payroll with rows that are not paid, or perhaps not. */
export const ofLines = (lines: ReadonlyArray<Line>, words: Words) => {
  const others = lines.filter(({ result }) => result !== "paid").length
  if (others === 0) return undefined
  const failure = lines.every(({ result }) => unpaid.has(result)) ? failed : open
  return failure(words.unpaid(others, lines.length))
}
