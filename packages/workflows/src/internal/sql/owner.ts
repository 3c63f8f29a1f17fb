import * as SqlClient from "@effect/sql/SqlClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { hostname } from "node:os"
import { performance } from "node:perf_hooks"

/** Another process uses the database. */
export class Owned extends Data.TaggedError("Owned")<{ readonly message: string }> {}

/** How often the owner shows that it lives. */
const beatMillis = 1_000
/** An owner that has shown nothing for this time is replaced. */
const silenceMillis = 15_000
const lookMillis = 200

/** Distinguishes this process from an earlier one with the same number. */
const born = Math.round(performance.timeOrigin)

export interface Row {
  readonly epoch: bigint
  readonly host: string
  /** Null after an end in order. */
  readonly pid: bigint | null
  readonly born: bigint
  readonly beat: bigint
}

/** Whether the process has certainly ended. A process of another host may live. */
export const isGone = ({ born: theirs, host, pid }: Row): boolean => {
  if (pid === null) return true
  if (host !== hostname()) return false
  if (Number(pid) === process.pid) return Number(theirs) !== born
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH"
  }
}

/**
 * Takes the database for this process until the scope closes, and returns the epoch. Whoever owned it before is
 * outdated: each of its transactions compares the epoch. Fails with `Owned` while its owner lives.
 */
export const take = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE IF NOT EXISTS manilla_owner (
      id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, host TEXT NOT NULL, pid INTEGER,
      born INTEGER NOT NULL, beat INTEGER NOT NULL
    )`
  const read = Effect.map(sql<Row>`SELECT * FROM manilla_owner`, ([row]) => row)

  /** None if the owner has changed since, or has shown that it lives. */
  const replace = (seen: Row | undefined) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const present = yield* read
        if (present?.epoch !== seen?.epoch || present?.beat !== seen?.beat) return undefined
        const epoch = Number(present?.epoch ?? 0) + 1
        const row = { id: 1, epoch, host: hostname(), pid: process.pid, born, beat: 0 }
        yield* sql`INSERT OR REPLACE INTO manilla_owner ${sql.insert(row)}`
        return epoch
      })
    )

  const first = yield* read
  for (let waitedMillis = 0; ; waitedMillis += lookMillis) {
    const seen = yield* read
    if (seen === undefined || isGone(seen) || waitedMillis >= silenceMillis) {
      const epoch = yield* replace(seen)
      if (epoch !== undefined) return epoch
    } else if (seen.epoch !== first?.epoch || seen.beat !== first.beat) {
      return yield* new Owned({ message: `process ${seen.pid} on ${seen.host}` })
    }
    yield* Effect.sleep(lookMillis)
  }
})

/** Shows that this process lives until the scope closes, and then that it has ended. */
export const hold = (epoch: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const release = sql`UPDATE manilla_owner SET pid = NULL WHERE epoch = ${epoch}`
    yield* Effect.addFinalizer(() => Effect.ignore(release))
    yield* sql`UPDATE manilla_owner SET beat = beat + 1 WHERE epoch = ${epoch}`.pipe(
      Effect.ignore,
      Effect.zipRight(Effect.sleep(beatMillis)),
      Effect.forever,
      Effect.forkScoped
    )
  })
