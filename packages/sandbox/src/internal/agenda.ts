/**
 * What is going to happen by itself, and when. Nothing runs in the background: whoever looks at the
 * state first does all that is due.
 */

/** Happens at its own moment, however late it is done. */
export type Event = (atMillis: number) => void

export interface Agenda {
  readonly plan: (atMillis: number, event: Event) => void
  /** Does everything that is due, in the order of time; at the same time, in the order of planning. */
  readonly advance: (nowMillis: number) => void
}

interface Planned {
  readonly atMillis: number
  readonly index: number
  readonly event: Event
}

/** A binary heap, the next event first. */
export const make = (): Agenda => {
  const heap: Array<Planned> = []
  let count = 0

  const raise = (planned: Planned) => {
    let position = heap.length
    while (position > 0) {
      const above = (position - 1) >> 1
      const parent = heap[above]
      if (parent === undefined || isBefore(parent, planned)) break
      heap[position] = parent
      position = above
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
    plan: (atMillis, event) => raise({ atMillis, index: count++, event }),
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
