/**
 * A queue of timed events. Nothing runs in the background: every access to the state first runs the
 * events that are due.
 */
import * as Order from "effect/Order"
import * as SortedSet from "effect/SortedSet"
import type * as state from "../store/state.js"

type Planned = typeof state.Planned.Type
type Kind = Planned["kind"]

/** An event, which receives its scheduled time even if it runs later. */
export type Event = (key: string, status: string, atMillis: number) => unknown

/** By time, then by the order in which they were planned. */
const order = Order.combine(
  Order.mapInput(Order.number, ({ at_ms }: Planned) => at_ms),
  Order.mapInput(Order.number, ({ index }: Planned) => index)
)

export const make = ({ agenda: planned, planned_events: count }: state.State) => {
  let queue = SortedSet.fromIterable(planned.all(), order)
  const events = new Map<Kind, Event>()
  return {
    /** Sets the event of a kind of resource. */
    on: (kind: Kind, event: Event): void => {
      events.set(kind, event)
    },
    plan: (event: Omit<Planned, "index">): void => {
      const added = { ...event, index: count.current() }
      count.set(added.index + 1)
      planned.set(added)
      queue = SortedSet.add(queue, added)
    },
    /** Runs all due events. An event may plan others. */
    advance: (nowMillis: number): void => {
      for (;;) {
        const [next] = queue
        if (next === undefined || next.at_ms > nowMillis) return
        queue = SortedSet.remove(queue, next)
        planned.remove(String(next.index))
        events.get(next.kind)?.(next.key, next.status, next.at_ms)
      }
    }
  }
}
