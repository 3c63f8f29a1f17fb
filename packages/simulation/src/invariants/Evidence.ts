/**
 * The record of a run, which the invariants check together with the books.
 */
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import type { Seen } from "../Audit.js"
import type { Sent } from "../Sent.js"
import type { Instruction } from "../Workload.js"
import type { Means } from "../Writes.js"

export interface Logged {
  /** The call whose fiber logged the message. */
  readonly call: string
  readonly level: string
  readonly message: string
}

export interface Evidence {
  readonly sandbox: Sandbox.Service
  readonly policy: RetryPolicy.RetryPolicy
  readonly means: Means
  /** When the nemesis and then the callers had ended. */
  readonly calmMillis: number
  /** When each process ended. */
  readonly processEndsMillis: ReadonlyMap<number, number>
  readonly sent: ReadonlyArray<Sent>
  readonly instructions: ReadonlyArray<Instruction>
  readonly logs: ReadonlyArray<Logged>
  /** If so, time limits are not checked. */
  readonly clockWasSet: boolean
  /** Rows that the client read under faults. */
  readonly read: Pick<Seen, "cards" | "transactions">
  /** The final lists as the client read them, in the runs that read them. */
  readonly seen: Seen | undefined
}
