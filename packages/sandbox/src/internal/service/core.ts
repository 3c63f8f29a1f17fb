/**
 * Shared parts of the resources, and the type of the handlers of the operations. Statuses, paths and encodings come
 * from the declared operations.
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import type * as Operation from "@manilla/core/Operation"
import type * as Either from "effect/Either"
import type * as ServiceApi from "@manilla/service/ServiceApi"
import * as ledger from "../money/ledger.js"
import * as wallets from "../money/wallets.js"
import * as idempotency from "../rules/idempotency.js"
import type { Refusal } from "../rules/refusal.js"
import type { Identifiers } from "../store/identifiers.js"
import type { State } from "../store/state.js"
import * as agenda from "../time/agenda.js"

export interface Options {
  readonly profile: idempotency.Profile
  readonly services: ReadonlyArray<AvailableService>
  readonly settleAfterMillis: number
  /** Whether what the interface and the catalogue do not list is refused. */
  readonly lenient: boolean
}

/** Settles a resource of a kind now, by its id or its reference. Undefined: the kind has none with that name. */
type Settlement = (
  name: string,
  status: string,
  atMillis: number
) => Either.Either<{ readonly reference: string; readonly status: string }, Refusal> | undefined

export interface Core extends ReturnType<typeof make> {}

export const make = (state: State, identifiers: Identifiers, options: Options) => {
  const book = ledger.make(state)
  return {
    ...options,
    state,
    identifiers,
    book,
    agenda: agenda.make(state),
    settlements: new Array<Settlement>(),
    wallets: wallets.make(state, identifiers, book),
    oncePerKey: idempotency.make(state, options.profile)
  }
}

/** The parts of a request that its operation does not declare. */
export interface HandlerContext extends idempotency.Use {
  /** The query. */
  readonly search: Readonly<Record<string, unknown>>
  /** Notes a value that the service may refuse. */
  readonly warn: (text: string) => void
}

/** Decides and stores in one synchronous step. */
export type Handler<O extends Operation.Operation> = (
  request: Operation.Request<O>,
  context: HandlerContext
) => Either.Either<O["success"]["Type"], Refusal>

/** The handlers of these operations. */
export type Handlers<Name extends ServiceApi.OperationName> = {
  readonly [One in Name]: Handler<ServiceApi.OperationNamed<One>>
}
