/**
 * A queue of timed events. Nothing runs in the background: every access to the state first runs the
 * events that are due.
 */
import * as Schema from "effect/Schema"
import * as table from "../store/table.js"

const Planned = Schema.Struct({
  index: Schema.Int,
  at_ms: Schema.Number,
  /** The kind of resource that the event changes, its key, and its new status. */
  kind: Schema.Literal("payment", "payout", "refund", "link"),
  key: Schema.String,
  status: Schema.String
})

type Planned = typeof Planned.Type
type Kind = Planned["kind"]

/** An event, which receives its scheduled time even if it runs later. */
export type Event = (key: string, status: string, atMillis: number) => void

export interface Agenda {
  /** Sets the event of a kind of resource. */
  readonly on: (kind: Kind, event: Event) => void
  readonly plan: (event: Omit<Planned, "index">) => void
  /** Runs all due events by time, then by the order in which they were planned. */
  readonly advance: (nowMillis: number) => void
}

export const declared = table.table(Planned, ({ index }) => String(index))

/** The number of events that were ever planned. */
export const declaredCount = table.value(Schema.NonNegativeInt, 0)

/** Makes an agenda as a binary min-heap over its planned events. */
export const make = (planned: table.Table<Planned>, count: table.Value<number>): Agenda => {
  const heap: Array<Planned> = []
  const events = new Map<Kind, Event>()

  const push = (planned: Planned) => {
    let position = heap.length
    while (position > 0) {
      const parentPosition = (position - 1) >> 1
      const parent = heap[parentPosition]
      if (parent === undefined || isBefore(parent, planned)) break
      heap[position] = parent
      position = parentPosition
    }
    heap[position] = planned
  }

  const sink = (planned: Planned) => {
    let position = 0
    for (;;) {
      const left = 2 * position + 1
      const [first, second] = [heap[left], heap[left + 1]]
      if (first === undefined) break
      const isRight = second !== undefined && isBefore(second, first)
      const child = isRight ? second : first
      if (isBefore(planned, child)) break
      heap[position] = child
      position = isRight ? left + 1 : left
    }
    heap[position] = planned
  }

  for (const one of planned.all()) push(one)

  return {
    on: (kind, event) => {
      events.set(kind, event)
    },
    plan: (event) => {
      const index = count.get()
      count.set(index + 1)
      const added = { ...event, index }
      planned.set(added)
      push(added)
    },
    advance: (nowMillis) => {
      for (let next = heap[0]; next !== undefined && next.at_ms <= nowMillis; next = heap[0]) {
        const last = heap.pop()
        if (last !== undefined && heap.length > 0) sink(last)
        planned.remove(String(next.index))
        events.get(next.kind)?.(next.key, next.status, next.at_ms)
      }
    }
  }
}

const isBefore = (a: Planned, b: Planned): boolean =>
  a.at_ms === b.at_ms ? a.index < b.index : a.at_ms < b.at_ms
