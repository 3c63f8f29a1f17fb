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
  /** A new PostgreSQL database; empty for a program without one. */
  readonly url: string
}

export type Key = IdempotencyKey.IdempotencyKey

/** Does something under each key, so many at once, and returns the milliseconds of each, if they are known. */
export type Run = (
  keys: ReadonlyArray<Key>,
  atOnce: number
) => Effect.Effect<ReadonlyArray<number>, unknown>

export const each =
  (one: (key: Key) => Effect.Effect<unknown, unknown>): Run =>
  (keys, atOnce) =>
    Effect.forEach(
      keys,
      (key) => Effect.map(Effect.timed(one(key)), ([took]) => Duration.toMillis(took)),
      { concurrency: atOnce }
    )

export const jobs = ["pay", "wait", "sleep"] as const

/** Makes a payout and looks once; awaits an execution of `waitMillis`; creates a payout and sleeps for a day. */
export type Jobs = Readonly<Partial<Record<(typeof jobs)[number], Run>>> & { readonly pay: Run }

/** How long an execution of `wait` takes. */
export const waitMillis = 44

export type Open = (places: Places) => Effect.Effect<Jobs, unknown, Scope.Scope>

export type Store = "none" | "postgres" | "sqlite"

export interface Program {
  readonly title: string
  readonly store: Store
  /** A process loads only the one that it runs. */
  readonly load: () => Promise<Open>
}

const ofManilla = async () => import("./manilla.js")

export const programs = {
  client: {
    title: "Manilla's client alone, nothing stored",
    store: "none",
    load: async () => (await import("./byHand.js")).alone
  },
  byHand: {
    title: "a table by hand, one at a time",
    store: "postgres",
    load: async () => (await import("./byHand.js")).oneByOne
  },
  byHandBatch: {
    title: "a table by hand, batches of 100",
    store: "postgres",
    load: async () => (await import("./byHand.js")).inBatches
  },
  graphile: {
    title: "graphile-worker",
    store: "postgres",
    load: async () => (await import("./graphile.js")).open
  },
  dbos: {
    title: "DBOS",
    store: "postgres",
    load: async () => (await import("./dbos.js")).open
  },
  postgres: {
    title: "Manilla, PostgreSQL",
    store: "postgres",
    load: async () => (await ofManilla()).postgres
  },
  sqlite: {
    title: "Manilla, SQLite",
    store: "sqlite",
    load: async () => (await ofManilla()).sqlite
  },
  memory: {
    title: "Manilla, memory",
    store: "none",
    load: async () => (await ofManilla()).memory
  },
  postgresBatch: {
    title: "`PayoutBatch`, an item, PostgreSQL",
    store: "postgres",
    load: async () => (await ofManilla()).postgresBatch
  },
  sqliteBatch: {
    title: "`PayoutBatch`, an item, SQLite",
    store: "sqlite",
    load: async () => (await ofManilla()).sqliteBatch
  }
} satisfies Readonly<Record<string, Program>>

export type Name = keyof typeof programs

export const names = Object.keys(programs) as ReadonlyArray<Name>
