// What is measured: programs that make payouts, and survive a kill as far as each can.
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Where a worker finds what it needs. */
export interface Places {
  /** The port of the service. */
  readonly port: number
  /** A new SQLite file. */
  readonly file: string
  /** A new PostgreSQL database, or the ingress of a new server of Restate; empty for a program without one. */
  readonly url: string
}

export type Key = IdempotencyKey.IdempotencyKey

/** Does something under each key, at most `atOnce` at a time, and returns the milliseconds of each, if it knows them. */
export type ForEach = (
  keys: ReadonlyArray<Key>,
  atOnce: number
) => Effect.Effect<ReadonlyArray<number>, unknown>

export const each =
  (one: (key: Key) => Effect.Effect<unknown, unknown>): ForEach =>
  (keys, atOnce) =>
    Effect.forEach(
      keys,
      (key) => Effect.map(Effect.timed(one(key)), ([took]) => Duration.toMillis(took)),
      { concurrency: atOnce }
    )

export interface Jobs {
  /** Creates a payout, and looks at it once. */
  readonly pay: ForEach
  /** Awaits an execution that takes `waitMillis`. */
  readonly wait?: ForEach
  /** Creates a payout, and sleeps for a day. */
  readonly sleep?: ForEach
}

/** How long an execution of `wait` takes. */
export const waitMillis = 44

export type Open = (places: Places) => Effect.Effect<Jobs, unknown, Scope.Scope>

export interface Program {
  readonly title: string
  readonly store: "none" | "postgres" | "restate" | "sqlite"
  /** The module that exports it by its name. A process loads only the one that it runs. */
  readonly load: () => Promise<Readonly<Record<string, Open>>>
}

const byHand = () => import("./byHand.js")
const graphile = () => import("./graphile.js")
const dbos = () => import("./dbos.js")
const engines = () => import("./engines.js")
const manilla = () => import("./manilla.js")

export const programs = {
  byHand: { title: "a table by hand, one at a time", store: "postgres", load: byHand },
  batches: { title: "a table by hand, batches of 100", store: "postgres", load: byHand },
  graphile: { title: "graphile-worker", store: "postgres", load: graphile },
  dbos: { title: "DBOS", store: "postgres", load: dbos },
  dbosNoted: { title: "DBOS, with a note before the request", store: "postgres", load: dbos },
  dbosSteps: { title: "`DisbursePayout` on DBOS", store: "postgres", load: dbos },
  restate: { title: "`DisbursePayout` on Restate", store: "restate", load: engines },
  openworkflow: { title: "`DisbursePayout` on openworkflow", store: "postgres", load: engines },
  cluster: {
    title: "`DisbursePayout` on `ClusterWorkflowEngine`",
    store: "postgres",
    load: engines
  },
  postgres: { title: "Manilla, PostgreSQL", store: "postgres", load: manilla },
  sqlite: { title: "Manilla, SQLite", store: "sqlite", load: manilla },
  memory: { title: "Manilla, memory", store: "none", load: manilla },
  postgresBatch: { title: "`PayoutBatch`, PostgreSQL", store: "postgres", load: manilla },
  sqliteBatch: { title: "`PayoutBatch`, SQLite", store: "sqlite", load: manilla }
} satisfies Readonly<Record<string, Program>>

export type Name = keyof typeof programs

export const names = Object.keys(programs) as ReadonlyArray<Name>
