/** The rows of the payroll, the same in every life of its worker, and a sum over its payouts. */
import type * as Batch from "@manilla/workflows/Batch"
import * as Hash from "effect/Hash"
import type { Credentials } from "./jobs.js"

export interface Settings extends Credentials {
  readonly file: string
  readonly rows: number
  /** The worker prints when it stores this row. */
  readonly notedRow: number
}

/** Of the last worker, at its end. */
export interface Memory {
  readonly highestRssBytes: number
  readonly heapBytes: number
}

export const batchKey = "payroll:2026-11"

export const itemOf = (row: number): Batch.Item => ({
  key: `E${row}`,
  request: {
    wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
    amount: String(50_000 + ((row * 7) % 400_000)),
    currency: "XOF",
    country: "BJ",
    payment_method: "mtn_momo",
    destination: `+22901${String(row).padStart(8, "0")}`
  }
})

/** The amount of all rows. */
export const amountOf = (rows: number): number => {
  let sum = 0
  for (let row = 0; row < rows; row++) sum += Number(itemOf(row).request.amount)
  return sum
}

export const rowOf = (key: string) => Number(key.slice(1))

/** A sum over payouts that does not depend on their order. */
export interface Sum {
  readonly count: number
  readonly amount: number
  /** The sum of a hash of each key with its reference and its amount. */
  readonly hash: number
}

export const noPayouts: Sum = { count: 0, amount: 0, hash: 0 }

export const add = (sum: Sum, key: string, reference: string, amount: string): Sum => ({
  count: sum.count + 1,
  amount: sum.amount + Number(amount),
  hash: sum.hash + Hash.string(`${key} ${reference} ${Number(amount)}`)
})
