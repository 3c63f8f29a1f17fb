/**
 * The store: one table of orders, one of attempts to pay. Each change is one statement, so a crash between
 * two of them leaves a state that is true: an order without an attempt was never sent.
 */
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import { SqlClient } from "@effect/sql"
import type { PaymentIntent } from "@manilla/payments"
import { Clock, Context, Data, Effect, Layer, Option, Schema } from "effect"
import { closeSync, openSync } from "node:fs"
import * as Attempt from "./Attempt.js"

export const Order = Schema.Struct({
  id: Schema.UUID,
  product: Schema.String,
  amount: Schema.String,
  currency: Schema.String,
  /** Any fields: those of an old order differ from those that the shop asks for today. */
  details: Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String })),
  created_at: Schema.Number
})
export interface Order extends Schema.Schema.Type<typeof Order> {}

/** An order with its attempts to pay, oldest first. */
export interface Placed {
  readonly order: Order
  readonly attempts: ReadonlyArray<Attempt.Attempt>
}

export class StoreError extends Data.TaggedError("StoreError")<{ readonly cause: unknown }> {}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const stored = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.mapError(effect, (cause) => new StoreError({ cause }))

  const many = <A, I>(schema: Schema.Schema<A, I>) => Schema.decodeUnknown(Schema.Array(schema))
  const orders = many(Order)
  const attempts = many(Attempt.Attempt)
  const isOpen = sql.in("state", Attempt.open)

  yield* stored(
    Effect.all([
      // While another process writes, such as `decide`, this one waits.
      sql`PRAGMA busy_timeout = 5000`,
      sql`PRAGMA journal_mode = WAL`,
      sql`CREATE TABLE IF NOT EXISTS orders (
        id TEXT PRIMARY KEY, product TEXT NOT NULL, amount TEXT NOT NULL, currency TEXT NOT NULL,
        details TEXT NOT NULL, created_at INTEGER NOT NULL
      ) STRICT`,
      sql`CREATE TABLE IF NOT EXISTS attempts (
        order_id TEXT NOT NULL REFERENCES orders, number INTEGER NOT NULL,
        key TEXT NOT NULL UNIQUE, request TEXT NOT NULL,
        state TEXT NOT NULL, sends INTEGER NOT NULL, payment_id TEXT UNIQUE, reason TEXT, note TEXT,
        created_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
        PRIMARY KEY (order_id, number)
      ) STRICT`,
      // At most one attempt of an order can move money: the database refuses a second one.
      sql`CREATE UNIQUE INDEX IF NOT EXISTS one_live_attempt ON attempts (order_id) WHERE state <> 'Unpaid'`,
      sql`CREATE INDEX IF NOT EXISTS due_attempts ON attempts (due_at) WHERE state IN ('Starting', 'Pending')`
    ])
  )

  return {
    /** Stores an order. Does nothing if it exists: a form that is sent twice makes one order. */
    place: (order: Omit<Order, "created_at">) =>
      Effect.gen(function* () {
        const created_at = yield* Clock.currentTimeMillis
        const row = Schema.encodeSync(Order)({ ...order, created_at })
        yield* sql`INSERT INTO orders ${sql.insert(row)} ON CONFLICT DO NOTHING`
      }).pipe(stored),

    /**
     * Stores a request with its key, before anything is sent. Does nothing if the number is used, or if another
     * attempt of the order may move money.
     */
    attempt: (order_id: string, number: number, request: PaymentIntent.PaymentIntentRequest) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const row = Schema.encodeSync(Attempt.Attempt)(Attempt.make(order_id, number, request, now))
        yield* sql`INSERT INTO attempts ${sql.insert(row)} ON CONFLICT DO NOTHING`
      }).pipe(stored),

    find: (id: string) =>
      Effect.gen(function* () {
        const [order] = yield* orders(yield* sql`SELECT * FROM orders WHERE id = ${id}`)
        const rows = yield* sql`SELECT * FROM attempts WHERE order_id = ${id} ORDER BY number`
        const placed = { order, attempts: yield* attempts(rows) }
        return Option.map(Option.fromNullable(order), (order) => ({ ...placed, order }))
      }).pipe(stored),

    /**
     * Takes open attempts that are due, for `lease` milliseconds, and counts their requests before they are
     * sent. Nobody else gets them meanwhile, also no other process.
     */
    claim: (most: number, lease: number) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* sql`
          UPDATE attempts SET due_at = ${now + lease}, sends = sends + (state = 'Starting')
          WHERE key IN (
            SELECT key FROM attempts WHERE due_at <= ${now} AND ${isOpen} ORDER BY due_at LIMIT ${most}
          ) RETURNING *`
        // A row that somebody damaged must not stop the others.
        const [damaged, claimed] = yield* Effect.partition(rows, (row) =>
          Schema.decodeUnknown(Attempt.Attempt)(row)
        )
        yield* Effect.forEach(damaged, (error) => Effect.logError("An attempt is damaged", error))
        return claimed
      }).pipe(stored),

    /** Changes a claimed attempt. Does nothing if the claim is over: each has a later `due_at`. */
    settle: ({ due_at, key }: Attempt.Attempt, change: Attempt.Change, next: number) => {
      const { note, payment_id, reason, state } = change
      const values = sql.update({ note, payment_id, reason, state, due_at: next })
      return stored(sql`UPDATE attempts SET ${values} WHERE key = ${key} AND due_at = ${due_at}`)
    },

    /** The attempts that a person decides. */
    reviews: stored(Effect.flatMap(sql`SELECT * FROM attempts WHERE state = 'Review'`, attempts)),

    /** Changes an attempt as a person decided. One that goes on keeps the reason of its last error or status. */
    decide: ({ created_at, key, reason }: Attempt.Attempt, state: Attempt.State) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const change = {
          state,
          reason: Attempt.open.includes(state) ? reason : "Person",
          created_at: state === "Pending" ? now : created_at,
          due_at: now
        }
        yield* sql`UPDATE attempts SET ${sql.update(change)} WHERE key = ${key} AND state = 'Review'`
      }).pipe(stored)
  }
})

export class Orders extends Context.Tag("shop/Orders")<
  Orders,
  Effect.Effect.Success<typeof make>
>() {}

/** Orders in an SQLite file, which only its owner can read: it has phone numbers. */
export const layer = (file: string): Layer.Layer<Orders, StoreError> =>
  Layer.effect(Orders, make).pipe(
    Layer.provide(LibsqlClient.layer({ url: file === ":memory:" ? file : `file:${file}` })),
    Layer.provide(
      Layer.effectDiscard(
        Effect.try({
          try: () => {
            if (file !== ":memory:") closeSync(openSync(file, "a", 0o600))
          },
          catch: (cause) => new StoreError({ cause })
        })
      )
    )
  )
