/**
 * Resources that are PENDING when they are created, and settle once: at a planned time, or earlier by a
 * control.
 */
import type { Timestamp } from "@manilla/core/Timestamp"
import * as Either from "effect/Either"
import type { Outcome, Settles } from "../../Outcome.js"
import type { Table } from "../store/table.js"
import type * as agenda from "../time/agenda.js"
import * as moment from "../time/moment.js"
import type { Refusal } from "./refusal.js"

interface Settling {
  readonly status: string
  readonly updated_at: Timestamp
}

export interface Options<Row extends Settling> {
  readonly agenda: agenda.Agenda
  readonly settleAfterMillis: number
  readonly rows: Table<Row>
  readonly kind: "payment" | "payout" | "refund"
  /** Moves the money of a resource that settles, and returns its status. */
  readonly move: (row: Row, status: string, atMillis: number) => Either.Either<string, Refusal>
}

export interface SettlingResources<Row extends Settling> {
  /** Stores a PENDING resource, and plans the settlement of its outcome. */
  readonly add: (key: string, row: Row, outcome: Outcome | undefined, nowMillis: number) => void
  /** Settles a resource. Returns `false` if no such resource is PENDING, or its money cannot move. */
  readonly settle: (key: string, status: string, atMillis: number) => boolean
}

const completes: Settles = { _tag: "Settles", status: "COMPLETED" }

export const make = <Row extends Settling>({
  agenda,
  kind,
  move,
  rows,
  settleAfterMillis
}: Options<Row>): SettlingResources<Row> => {
  const settle: SettlingResources<Row>["settle"] = (key, status, atMillis) => {
    const row = rows.get(key)
    if (row?.status !== "PENDING" || status === "PENDING") return false
    const moved = move(row, status, atMillis)
    if (Either.isLeft(moved)) return false
    rows.set({ ...row, status: moved.right, updated_at: moment.fromMillis(atMillis) })
    return true
  }
  agenda.on(kind, settle)
  return {
    add: (key, row, outcome, nowMillis) => {
      rows.set(row)
      if (outcome?.effect._tag === "StaysPending") return
      const { afterMillis = settleAfterMillis, status } =
        outcome?.effect._tag === "Settles" ? outcome.effect : completes
      agenda.plan({ at_ms: nowMillis + afterMillis, kind, key, status })
    },
    settle
  }
}
