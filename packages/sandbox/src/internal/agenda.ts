/**
 * A queue of timed events. Nothing runs in the background: every access to the state first runs the
 * events that are due.
 */

/** Receives its scheduled time, even if it runs later. */
export type Event = (atMillis: number) => void

export interface Agenda {
  readonly plan: (atMillis: number, event: Event) => void
  /** Runs all due events by time, then by the order in which they were planned. */
  readonly advance: (nowMillis: number) => void
}

interface Planned {
  readonly atMillis: number
  readonly index: number
  readonly event: Event
}

/** Makes an agenda as a binary min-heap. */
export const make = (): Agenda => {
  const heap: Array<Planned> = []
  let count = 0

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

  return {
    plan: (atMillis, event) => push({ atMillis, index: count++, event }),
    advance: (nowMillis) => {
      for (let next = heap[0]; next !== undefined && next.atMillis <= nowMillis; next = heap[0]) {
        const last = heap.pop()
        if (last !== undefined && heap.length > 0) sink(last)
        next.event(next.atMillis)
      }
    }
  }
}

const isBefore = (a: Planned, b: Planned): boolean =>
  a.atMillis === b.atMillis ? a.index < b.index : a.atMillis < b.atMillis
