/**
 * Resources that are PENDING when they are created, and settle once: at a planned time, or earlier by a
 * control.
 */
import type { Timestamp } from "@manilla/core/Timestamp"
import * as Either from "effect/Either"
import type { Becomes, Behaviour } from "../../Scenario.js"
import * as refusal from "../rules/refusal.js"
import type { Planned } from "../store/state.js"
import type { Table } from "../store/table.js"
import * as moment from "../time/moment.js"
import type { Core } from "./core.js"

interface Settling {
  readonly id?: string | undefined
  readonly reference: string
  readonly status: string
  readonly updated_at: Timestamp
}

const completed = "COMPLETED"

const completes: Becomes = { _tag: "Becomes", status: completed }

/** Moves or releases the money of a resource that settles. */
interface Money<Row> {
  /** Moves it, when the resource completes. Returns the status, which is another one if it cannot move. */
  readonly move: (row: Row, atMillis: number) => Either.Either<string, refusal.Refusal>
  /** Gives back what the resource has reserved, when it ends with any other status. */
  readonly release: (row: Row, atMillis: number) => Either.Either<unknown, refusal.Refusal>
}

export const make = <Row extends Settling>(
  { agenda, settleAfterMillis, settlements }: Core,
  kind: Exclude<(typeof Planned.Type)["kind"], "link">,
  rows: Table<Row>,
  money: Money<Row>
) => {
  /** Settles a resource, if it is PENDING and its money can move. */
  const settle = (row: Row, status: string, atMillis: number) =>
    Either.gen(function* () {
      if (row.status !== "PENDING" || status === "PENDING") {
        return yield* Either.left(refusal.of("NOT_PENDING"))
      }
      const reached =
        status === completed
          ? yield* money.move(row, atMillis)
          : yield* Either.map(money.release(row, atMillis), () => status)
      rows.set({ ...row, status: reached, updated_at: moment.fromMillis(atMillis) })
      return { reference: row.reference, status: reached }
    })
  const settleFound = (row: Row | undefined, status: string, atMillis: number) =>
    row && settle(row, status, atMillis)
  agenda.on(kind, (key, status, atMillis) => settleFound(rows.get(key), status, atMillis))
  settlements.push((name, status, atMillis) => {
    const row = rows.all().find(({ id, reference }) => id === name || reference === name)
    return settleFound(row, status, atMillis)
  })
  /** Stores a PENDING resource, and plans its settlement. */
  return (key: string, row: Row, behaviour: Behaviour | undefined, nowMillis: number): void => {
    rows.set(row)
    const { afterMillis = settleAfterMillis, status } =
      behaviour?._tag === "Becomes" ? behaviour : completes
    agenda.plan({ at_ms: nowMillis + afterMillis, kind, key, status })
  }
}
