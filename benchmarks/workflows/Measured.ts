// The measured figures of `DisbursePayout` beside many sleeping executions.
export const titles = {
  memory: "memory",
  sqlite: "SQLite",
  postgres: "PostgreSQL, one runner"
} as const

export type Engine = keyof typeof titles

export const engines: ReadonlyArray<Engine> = ["memory", "sqlite", "postgres"]

export interface Latency {
  readonly p50Millis: number
  readonly p99Millis: number
}

/** The work of a database for one execution. */
export interface Writes {
  readonly transactions: number
  /** Rows inserted, updated and deleted. */
  readonly rows: number
  readonly walBytes: number
  /** CPU time of its processes, where the system tells. */
  readonly cpuMillis?: number | undefined
}

/** One engine with a number of sleeping executions. A figure that a database does not tell is absent. */
export interface Measured {
  readonly engine: Engine
  readonly sleeping: number
  /** The executions go to sleep. */
  readonly fill: {
    readonly perSecond: number
    /** CPU time of the process that starts them. */
    readonly cpuMillis: number
  }
  /** All sleep. CPU time is in parts of a core. */
  readonly rest: {
    readonly heapBytes: number
    readonly storeBytes?: number | undefined
    readonly cpuShare: number
    readonly databaseShare?: number | undefined
  }
  /** Further executions, one after another. */
  readonly quiet: Latency
  /** Further executions, 64 at a time, that end at their first look. */
  readonly busy: Latency & {
    readonly count: number
    readonly perSecond: number
    /** CPU time of the process. */
    readonly cpuMillis: number
    readonly storeBytes?: number | undefined
    readonly database?: Writes
  }
}

/** The task of a worker. */
export interface Task {
  readonly engine: Engine
  readonly sleeping: number
  /** How many further executions are measured, one after another and 64 at a time. */
  readonly quiet: number
  readonly busy: number
  /** How long they sleep before the process is measured, and while it is. */
  readonly settleSeconds: number
  readonly restSeconds: number
  readonly file: string
  readonly url: string
  readonly port: number
}

/** The task of a worker that measures a batch. */
export interface BatchTask {
  readonly engine: Exclude<Engine, "memory">
  readonly count: number
  readonly concurrency: number
  readonly rounds: number
  readonly file: string
  readonly url: string
  readonly port: number
}

/** What each payout of a batch costs, or of a program to compare it with. A figure that is not told is null. */
export interface MeasuredBatch {
  readonly engine: BatchTask["engine"]
  readonly name: string
  readonly perSecond: number
  readonly cpuMillis: number
  readonly databaseMillis: number | null
  readonly walBytes: number | null
}
