import { createClient } from "@libsql/client"
import type { Order } from "./order.js"

export type Orders = Awaited<ReturnType<typeof open>>

const lease = 30_000

const row = `json_object('id', id, 'state', state, 'request', json(request), 'sends', sends,
  'payment', payment, 'placedAt', placed_at, 'dueAt', due_at) AS json`

/** Opens the orders in an SQLite file, such as `orders.db`. */
export const open = async (file: string) => {
  const db = createClient({ url: `file:${file}` })
  await db.executeMultiple(`
    PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, state TEXT, request TEXT, sends INTEGER,
      payment TEXT, placed_at INTEGER, due_at INTEGER) STRICT`)

  const run = async (sql: string, ...args: Array<string | number | null>) => {
    const { rows } = await db.execute({ sql, args })
    return rows.map(({ json }): Order => JSON.parse(String(json)))
  }

  return {
    /** Stores an order. A form that is sent twice makes one order: the first one stays. */
    place: async (id: string, request: Order["request"], now: number) => {
      const sql = "INSERT INTO orders VALUES (?, 'open', ?, 0, NULL, ?, ?) ON CONFLICT DO NOTHING"
      await run(sql, id, JSON.stringify(request), now, now)
    },

    find: async (id: string) => {
      const [order] = await run(`SELECT ${row} FROM orders WHERE id = ?`, id)
      return order
    },

    /**
     * Takes open orders that are due, and counts their requests before they are sent. Nobody else gets them for
     * 30 seconds, also no other process. A call takes 20 seconds at most.
     */
    claim: (now: number) =>
      run(
        `UPDATE orders SET due_at = ?, sends = sends + (payment IS NULL) WHERE id IN (
          SELECT id FROM orders WHERE state = 'open' AND due_at <= ? ORDER BY due_at LIMIT 50
        ) RETURNING ${row}`,
        now + lease,
        now
      ),

    /** Stores the new state of a claimed order. Does nothing if the claim is over. */
    settle: async (claimed: Order, { dueAt, payment, state }: Order) => {
      const sql = "UPDATE orders SET state = ?, payment = ?, due_at = ? WHERE id = ? AND due_at = ?"
      await run(sql, state, payment, dueAt, claimed.id, claimed.dueAt)
    }
  }
}
