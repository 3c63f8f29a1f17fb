/**
 * A queue of timed events. Nothing runs in the background: every access to the state first runs the
 * events that are due.
 */
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as RedBlackTree from "effect/RedBlackTree"
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

export const declared = table.table(Planned, ({ index }) => String(index))

/** The number of events that were ever planned. */
export const declaredCount = table.value(Schema.NonNegativeInt, 0)

/** By time, then by the order in which they were planned. */
const order = Order.combine(
  Order.mapInput(Order.number, ({ at_ms }: Planned) => at_ms),
  Order.mapInput(Order.number, ({ index }: Planned) => index)
)

export interface Agenda extends ReturnType<typeof make> {}

export const make = (planned: table.Table<Planned>, count: table.Value<number>) => {
  const events = new Map<Kind, Event>()
  let queue = RedBlackTree.fromIterable(
    planned.all().map((one) => [one, undefined] as const),
    order
  )
  const firstUntil = (nowMillis: number): Planned | undefined => {
    const [first] = Option.getOrElse(RedBlackTree.first(queue), () => [])
    return first !== undefined && first.at_ms <= nowMillis ? first : undefined
  }

  return {
    /** Sets the event of a kind of resource. */
    on: (kind: Kind, event: Event): void => {
      events.set(kind, event)
    },
    plan: (event: Omit<Planned, "index">): void => {
      const index = count.get()
      count.set(index + 1)
      const added = { ...event, index }
      planned.set(added)
      queue = RedBlackTree.insert(queue, added, undefined)
    },
    /** Runs all due events. */
    advance: (nowMillis: number): void => {
      for (let next = firstUntil(nowMillis); next !== undefined; next = firstUntil(nowMillis)) {
        queue = RedBlackTree.removeFirst(queue, next)
        planned.remove(String(next.index))
        events.get(next.kind)?.(next.key, next.status, next.at_ms)
      }
    }
  }
}
