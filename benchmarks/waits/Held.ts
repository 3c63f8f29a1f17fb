// What the processes of this part tell.

/** What is held: a wait for a payment, Effect's least that waits at all, or a
 * create in flight: over Manilla's own client, and over any other. */
export const kinds = ["wait", "late", "sleep", "async", "create", "plainCreate"] as const

export type Kind = (typeof kinds)[number]

export const isKind = (text: string | undefined): text is Kind =>
  kinds.some((kind) => kind === text)

export interface Held {
  readonly kind: Kind
  readonly count: number
  readonly bytesEach?: number
  /** How long it took to start them all: of waits, with their first reads. */
  readonly startSeconds: number
  /** CPU time that the start of each took. */
  readonly startMicros: number
  /** Of waits: how long after it was due each of them ended. */
  readonly late?: Late
}

export interface Late {
  readonly p50Millis: number
  readonly p99Millis: number
  readonly mostMillis: number
  /** The longest pause between two reads; the shortest is half of it. */
  readonly pauseSeconds: number
}
