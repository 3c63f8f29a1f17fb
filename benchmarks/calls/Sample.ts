// What one window of calls gives: the messages between the runner and a client's process.
import type { Operation } from "../wire/messages.js"

export interface Window {
  readonly operation: Operation
  readonly concurrency: number
  /** How long calls are made before any counts. */
  readonly warmMillis: number
  readonly millis: number
  /** Where to write a CPU profile of the window. */
  readonly profile?: string | undefined
}

export interface Sample {
  readonly calls: number
  readonly seconds: number
  /** CPU time of the client's process, of all of its threads. */
  readonly cpuMicros: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly peakHeapBytes: number
}

export type Ready = { readonly ready: true } | { readonly skipped: string }

export interface Retained {
  /** The heap after a collection, beyond what it was before the first call. */
  readonly retainedBytes: number
}

export type Ask = Window | { readonly retained: true }
