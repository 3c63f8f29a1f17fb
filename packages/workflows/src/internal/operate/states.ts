/** The states of executions and of items, by the names that select them. The page of a runner shares them. */
import type { Status } from "@manilla/workflow-engine/Execution"
import type { State } from "@manilla/workflow-engine/Batches"

/** The states of executions that each name selects. */
export const states = {
  open: ["Running", "Waiting"],
  running: ["Running"],
  waiting: ["Waiting"],
  succeeded: ["Succeeded"],
  failed: ["Failed", "Died"],
  died: ["Died"],
  all: ["Running", "Waiting", "Succeeded", "Failed", "Died"]
} as const satisfies Readonly<Record<string, ReadonlyArray<Status["state"]>>>

const parts = {
  paid: ["completed"],
  /** Created, or being created. */
  underWay: ["sending", "created", "pending"],
  inDoubt: ["unknown", "inDoubt"],
  notPaid: ["failed", "notCompleted"],
  notSent: ["waiting"]
} as const satisfies Readonly<Record<string, ReadonlyArray<State>>>

/** The states of items that each name selects. One that is `unpaid` has ended. */
export const itemStates = {
  unpaid: [...parts.notPaid, "inDoubt"],
  open: ["unknown", ...parts.underWay, ...parts.notSent],
  ...parts,
  all: [...Object.values(parts).flat(), "purged"]
} as const satisfies Readonly<Record<string, ReadonlyArray<State>>>
