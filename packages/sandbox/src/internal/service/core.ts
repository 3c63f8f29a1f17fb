/**
 * Shared parts of the resources.
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import type { Book } from "../money/ledger.js"
import type { Wallets } from "../money/wallets.js"
import type { Once } from "../rules/idempotency.js"
import type { Identifiers } from "../rules/identifiers.js"
import type { State } from "../store/state.js"
import type { Agenda } from "../time/agenda.js"

export interface Core {
  readonly state: State
  readonly identifiers: Identifiers
  readonly agenda: Agenda
  readonly book: Book
  readonly wallets: Wallets
  readonly once: Once
  readonly services: ReadonlyArray<AvailableService>
  readonly settleAfterMillis: number
}
