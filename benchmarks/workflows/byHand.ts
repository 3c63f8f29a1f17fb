// Each payout has a row, which is written before its request and after its end.
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { Pool } from "pg"
import * as payouts from "./payouts.js"
import { each, type Open } from "./programs.js"

const table = (url: string) =>
  Effect.gen(function* () {
    const pool = new Pool({ connectionString: url, max: 10 })
    const query = (text: string, values: ReadonlyArray<unknown> = []) =>
      Effect.promise(() => pool.query(text, [...values]))
    yield* query("CREATE TABLE IF NOT EXISTS by_hand (key TEXT PRIMARY KEY, result TEXT)")
    return query
  })

export const byHand: Open = ({ port, url }) =>
  Effect.gen(function* () {
    const { pay } = yield* payouts.client(port)
    const query = yield* table(url)
    return {
      pay: each((key) =>
        Effect.gen(function* () {
          yield* query("INSERT INTO by_hand (key) VALUES ($1)", [key])
          const result = JSON.stringify(yield* pay(key))
          yield* query("UPDATE by_hand SET result = $2 WHERE key = $1", [key, result])
        })
      )
    }
  })

/** Two batches of 100 at a time: one is stored while the requests of the other run. */
export const batches: Open = ({ port, url }) =>
  Effect.gen(function* () {
    const { pay } = yield* payouts.client(port)
    const query = yield* table(url)
    return {
      pay: (keys, atOnce) =>
        Effect.forEach(
          Arr.chunksOf(keys, 100),
          (batch) =>
            Effect.gen(function* () {
              yield* query("INSERT INTO by_hand (key) SELECT unnest($1::text[])", [batch])
              const results = yield* Effect.forEach(batch, pay, { concurrency: atOnce / 2 })
              yield* query(
                `UPDATE by_hand SET result = ended.result
                FROM unnest($1::text[], $2::text[]) AS ended (key, result)
                WHERE by_hand.key = ended.key`,
                [batch, results.map((result) => JSON.stringify(result))]
              )
            }),
          { concurrency: 2 }
        ).pipe(Effect.as([]))
    }
  })
