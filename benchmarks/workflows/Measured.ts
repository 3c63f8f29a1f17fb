// Measures executions of `DisbursePayout` beside many sleeping ones.

/** `postgres3` are three runners on one database. */
export const engines = ["memory", "sqlite", "postgres", "postgres3"] as const

export type Engine = (typeof engines)[number]

export const isEngine = (text: string): text is Engine => engines.some((engine) => engine === text)

export const titles: Readonly<Record<Engine, string>> = {
  memory: "memory",
  sqlite: "SQLite",
  postgres: "PostgreSQL, one runner",
  postgres3: "PostgreSQL, three runners"
}

export interface Latency {
  readonly p50Millis: number
  readonly p99Millis: number
}

/** The work of PostgreSQL, per execution. */
export interface Database {
  readonly transactions: number
  /** Rows inserted, updated and deleted. */
  readonly rows: number
  readonly walBytes: number
  /** CPU time of its processes, where the system tells. */
  readonly cpuMillis?: number
}

/** The executions go to sleep. */
export interface Fill {
  readonly perSecond: number
  /** CPU time of the process that starts them, per execution. */
  readonly cpuMillis: number
}

/** All sleep. */
export interface Rest {
  /** Of the process, per sleeping execution: its heap after a garbage collection. */
  readonly heapBytes: number
  /** Of the whole process. */
  readonly residentBytes: number
  /** In the database, per sleeping execution. */
  readonly storeBytes?: number
  /** CPU time of the process, in parts of a core. */
  readonly cpuShare: number
  /** CPU time of PostgreSQL, in parts of a core. */
  readonly databaseShare?: number
}

/** Further executions, 64 at a time, that end at their first look. */
export interface Busy extends Latency {
  readonly count: number
  readonly perSecond: number
  /** CPU time of the processes that run workflows, per execution. */
  readonly cpuMillis: number
  /** In the database, per execution that has ended. */
  readonly storeBytes?: number
  readonly database?: Database
}

/** One engine with a number of sleeping executions. */
export interface Measured {
  readonly engine: Engine
  readonly sleeping: number
  readonly limitMinutes: number
  /** The part that was under way at the limit, if it was not whole, and how far it came. */
  readonly unfinished?: string
  readonly fill?: Fill
  readonly rest?: Rest
  /** Further executions, one after another. */
  readonly quiet?: Latency
  readonly busy?: Busy
}

/** The task of a worker. */
export interface Task {
  readonly engine: Engine
  readonly sleeping: number
  /** How many further executions are measured, one after another and 64 at a time. */
  readonly quiet: number
  readonly busy: number
  /** How long they sleep before the process is measured. */
  readonly settleSeconds: number
  readonly restSeconds: number
  readonly file: string
  readonly url: string
  readonly port: number
  /** A helper only runs executions. */
  readonly isHelper: boolean
  /** The processes of the other runners. */
  readonly helpers: ReadonlyArray<number>
}
