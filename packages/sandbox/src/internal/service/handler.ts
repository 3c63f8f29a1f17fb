/**
 * The rules of the operations. Statuses, paths and encodings come from the declared operations.
 */
import type * as Operation from "@manilla/core/Operation"
import type * as Either from "effect/Either"
import type { Behaviour } from "../../Outcome.js"
import type * as ServiceApi from "../../ServiceApi.js"
import type { Refusal } from "../rules/refusal.js"

/** The parts of a request that its operation does not declare. */
export interface Undeclared {
  readonly nowMillis: number
  /** The outcome that the request asks for, if it is one that a rule decides. */
  readonly outcome: Behaviour | undefined
  /** The query. */
  readonly search: Readonly<Record<string, unknown>>
  /** Called when the stored result of a key is returned. */
  readonly onReplay: () => void
}

/** Decides and stores in one synchronous step. */
export type Handler<O extends Operation.Operation> = (
  request: Operation.Request<O>,
  undeclared: Undeclared
) => Either.Either<O["success"]["Type"], Refusal>

/** The handlers of these operations. */
export type Handlers<Name extends ServiceApi.OperationName> = {
  readonly [One in Name]: Handler<ServiceApi.OperationNamed<One>>
}
