/**
 * The store: a table of orders, and one of attempts to pay. Each change is one statement, so a crash between two
 * of them leaves a state that is true: an order without an attempt was never sent.
 */
import { createClient, type InValue, type Row } from "@libsql/client"
import { IdempotencyKey, type PaymentIntent } from "@manilla/promises"
import { closeSync, openSync } from "node:fs"
import type { Attempt, Change } from "./attempts.js"

export interface Order {
  readonly id: string
  readonly product: string
  readonly amount: string
  readonly currency: string
  readonly details: Readonly<Record<string, string>>
}

export type Placed = Readonly<{ order: Order; attempts: ReadonlyArray<Attempt> }>

export type Orders = Awaited<ReturnType<typeof open>>

/** Opens the file, which only its owner can read: it has phone numbers. */
export const open = async (file: string) => {
  if (file !== ":memory:") closeSync(openSync(file, "a", 0o600))
  const client = createClient({ url: file === ":memory:" ? file : `file:${file}` })
  await client.executeMultiple(`
    PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS orders (
      id TEXT PRIMARY KEY, product TEXT, amount TEXT, currency TEXT, details TEXT) STRICT;
    CREATE TABLE IF NOT EXISTS attempts (
      key TEXT PRIMARY KEY, order_id TEXT, number INTEGER, request TEXT, state TEXT, sends INTEGER,
      payment_id TEXT UNIQUE, reason TEXT, created_at INTEGER, due_at INTEGER) STRICT;
    -- At most one attempt of an order can move money: the database refuses a second one.
    CREATE UNIQUE INDEX IF NOT EXISTS one_live_attempt ON attempts (order_id) WHERE state <> 'Unpaid'`)

  const isJson = (column: string) => column === "details" || column === "request"

  /** Runs one statement. The columns are those of the type. */
  const run = async <Columns>(sql: string, ...args: Array<InValue>): Promise<Array<Columns>> => {
    const { columns, rows } = await client.execute({ sql, args })
    const read = (row: Row, it: string) => [it, isJson(it) ? JSON.parse(String(row[it])) : row[it]]
    return rows.map((row) => Object.fromEntries(columns.map((it) => read(row, it))))
  }

  return {
    /** Stores an order. Does nothing if it exists: a form that is sent twice makes one order. */
    place: async ({ amount, currency, details, id, product }: Order) => {
      const sql = "INSERT INTO orders VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
      await run(sql, id, product, amount, currency, JSON.stringify(details))
    },

    /**
     * Stores a request with its key, before anything is sent. Does nothing if the number is used, or if another
     * attempt of the order may move money.
     */
    attempt: async (order: string, number: number, request: PaymentIntent.PaymentIntentRequest) => {
      const key = IdempotencyKey.derive("shop", order, String(number))
      const now = Date.now()
      const sql = `INSERT INTO attempts VALUES (?, ?, ?, ?, 'Starting', 0, NULL, NULL, ?, ?)
        ON CONFLICT DO NOTHING`
      await run(sql, key, order, number, JSON.stringify(request), now, now)
    },

    /** An order with its attempts, oldest first. */
    find: async (id: string): Promise<Placed | undefined> => {
      const [order] = await run<Order>("SELECT * FROM orders WHERE id = ?", id)
      const sql = "SELECT * FROM attempts WHERE order_id = ? ORDER BY number"
      return order && { order, attempts: await run<Attempt>(sql, id) }
    },

    /**
     * Takes open attempts that are due, for `lease` milliseconds, and counts their requests before they are
     * sent. Nobody else gets them meanwhile, also no other process.
     */
    claim: async (most: number, lease: number) => {
      const now = Date.now()
      const due = "due_at <= ? AND state IN ('Starting', 'Pending')"
      // A row that somebody damaged must not stop the others.
      const review = `UPDATE attempts SET state = 'Review'
        WHERE ${due} AND NOT json_valid(request) RETURNING key`
      const damaged = await run<Pick<Attempt, "key">>(review, now)
      for (const { key } of damaged) console.error(`A person decides ${key}: its row is damaged`)
      const sql = `UPDATE attempts SET due_at = ?, sends = sends + (state = 'Starting')
        WHERE key IN (SELECT key FROM attempts WHERE ${due} ORDER BY due_at LIMIT ?) RETURNING *`
      return await run<Attempt>(sql, now + lease, now, most)
    },

    /** Changes a claimed attempt. Does nothing if the claim is over: each has a later `due_at`. */
    settle: async (claimed: Attempt, { payment_id, reason, state }: Change, next: number) => {
      const sql = `UPDATE attempts SET state = ?, payment_id = ?, reason = ?, due_at = ?
        WHERE key = ? AND due_at = ?`
      await run(sql, state, payment_id, reason, next, claimed.key, claimed.due_at)
    }
  }
}
