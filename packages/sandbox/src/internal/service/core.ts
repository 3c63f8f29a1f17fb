/**
 * Shared parts of the resources.
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import type { Book } from "../money/ledger.js"
import type { Wallets } from "../money/wallets.js"
import type { Keys } from "../rules/idempotency.js"
import type { Identifiers } from "../rules/identifiers.js"
import type { Agenda } from "../time/agenda.js"
import type { Transactions } from "./transactions.js"

export interface Core {
  readonly identifiers: Identifiers
  readonly agenda: Agenda
  readonly book: Book
  readonly wallets: Wallets
  readonly transactions: Transactions
  /** The idempotency keys of an operation. */
  readonly keys: (operation: string) => Keys
  readonly services: ReadonlyArray<AvailableService>
  readonly settleAfterMillis: number
}
