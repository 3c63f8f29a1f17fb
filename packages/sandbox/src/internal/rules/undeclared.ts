/**
 * The parts of a request that its operation does not declare.
 */
import type { Outcome } from "../../Outcome.js"

export interface Undeclared {
  readonly nowMillis: number
  /** The outcome that the request asks for, if it is one that a rule decides. */
  readonly outcome: Outcome | undefined
  /** Called when the stored result of a key is returned. */
  readonly onReplay: () => void
}
