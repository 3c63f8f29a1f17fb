// The results of the processes of this part.

/**
 * The kinds of pending effects: waits for a payment, minimal Effect fibers for comparison, and creates
 * in flight over `UndiciClient` or another client.
 */
export const kinds = ["wait", "late", "sleep", "async", "create", "plainCreate"] as const

export type Kind = (typeof kinds)[number]

export const isKind = (text: string | undefined): text is Kind =>
  kinds.some((kind) => kind === text)

export interface Held {
  readonly kind: Kind
  readonly count: number
  readonly bytesEach?: number
  /** The time to start all of them; for waits, including their first reads. */
  readonly startSeconds: number
  /** CPU time per start. */
  readonly startMicros: number
  /** The lateness of waits: the time between the due read and the end of the wait. */
  readonly late?: Late
}

export interface Late {
  readonly p50Millis: number
  readonly p99Millis: number
  readonly mostMillis: number
  /** The longest delay between two reads; the shortest is half of it. */
  readonly pauseSeconds: number
}
