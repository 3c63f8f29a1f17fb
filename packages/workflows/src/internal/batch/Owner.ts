import type * as Payout from "@manilla/payouts/Payout"
import type * as Payouts from "@manilla/payouts/Payouts"
import type * as Effect from "effect/Effect"
import type * as DisbursePayout from "../../DisbursePayout.js"
import type * as store from "../engine/store.js"
import type * as Execution from "../../Execution.js"
import type * as Operator from "../../Operator.js"
import { isStorageError } from "../engine/execution.js"
import { persistently } from "../engine/persistently.js"
import type * as Table from "./Table.js"

/** An owner of a batch: in its epoch, no other process changes the items. */
export interface Owner {
  readonly batchKey: string
  readonly epoch: number
  readonly concurrency: number
  readonly table: Table.Service
  readonly payouts: Payouts.Service
  readonly engine: store.Store
  readonly disburse: Operator.Operator<
    DisbursePayout.Payload,
    Payout.Payout,
    DisbursePayout.DisburseError
  >
}

/**
 * Repeats what the database could not do. It may have been done all the same: each operation of an owner may be
 * repeated, because no other process changes the items.
 */
export const stored = <A, E extends { readonly _tag: string }>(
  effect: Effect.Effect<A, E | Execution.StorageError>
): Effect.Effect<A, Exclude<E, Execution.StorageError>> => persistently(effect, isStorageError)
