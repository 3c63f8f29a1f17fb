/**
 * What happened in a run: what the rules judge by, beside the books.
 */
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import type { Seen } from "../Audit.js"
import type { Instruction, Means } from "../Workload.js"
import type { Sent } from "../Sent.js"

export interface Logged {
  /** The call that it was logged for. */
  readonly call: string
  readonly level: string
  readonly message: string
}

export interface Evidence {
  readonly sandbox: Sandbox.Service
  readonly policy: RetryPolicy.RetryPolicy
  readonly means: Means
  /** When the nemesis had ended, and the callers after them. */
  readonly calmMillis: number
  /** When each process had ended. */
  readonly processEndsMillis: ReadonlyMap<number, number>
  readonly sent: ReadonlyArray<Sent>
  readonly instructions: ReadonlyArray<Instruction>
  readonly logs: ReadonlyArray<Logged>
  /** Then what was promised in minutes may last a few more. */
  readonly clockWasSet: boolean
  /** Rows that the client read while there was trouble. */
  readonly read: Pick<Seen, "cards" | "transactions">
  /** What the client read in the end, in the runs in which it did. */
  readonly seen: Seen | undefined
}
