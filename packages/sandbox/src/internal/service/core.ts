/**
 * Shared parts of the resources.
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import * as ledger from "../money/ledger.js"
import * as wallets from "../money/wallets.js"
import * as idempotency from "../rules/idempotency.js"
import type { Identifiers } from "../rules/identifiers.js"
import type { State } from "../store/state.js"
import * as agenda from "../time/agenda.js"

export interface Options {
  readonly profile: idempotency.Profile
  readonly services: ReadonlyArray<AvailableService>
  readonly settleAfterMillis: number
}

export interface Core extends ReturnType<typeof make> {}

export const make = (state: State, identifiers: Identifiers, options: Options) => {
  const book = ledger.make(state)
  return {
    ...options,
    state,
    identifiers,
    book,
    agenda: agenda.make(state),
    wallets: wallets.make(state, identifiers, book),
    once: idempotency.make(state, options.profile)
  }
}
