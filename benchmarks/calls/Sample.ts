// The messages between the runner and a client process, for one measurement window.
import type { Operation } from "../wire/messages.js"

export interface Window {
  readonly operation: Operation
  readonly concurrency: number
  /** The warm-up time before the measurement. */
  readonly warmMillis: number
  readonly millis: number
  /** The file for a CPU profile of the window. */
  readonly profile?: string | undefined
}

export interface Sample {
  readonly calls: number
  readonly seconds: number
  /** CPU time of all threads of the client process. */
  readonly cpuMicros: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly peakHeapBytes: number
}

export type Ready = { readonly ready: true } | { readonly skipped: string }

export interface Retained {
  /** The growth of the heap since before the first call, after garbage collection. */
  readonly retainedBytes: number
}

export type Ask = Window | { readonly retained: true }
