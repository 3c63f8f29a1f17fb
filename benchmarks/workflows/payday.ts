// Plans a country's payday from the measured figures.
import * as Policy from "@manilla/workflows/Policy"
import * as Duration from "effect/Duration"
import type { Measured } from "./Measured.js"

export const assumptions = {
  payouts: 10_000_000,
  hours: 4,
  /** Of the runners and of the database: the rest is for peaks, and for a machine that fails. */
  utilisation: 0.6,
  /** How long most payouts are pending. */
  usualSeconds: 10,
  /** How many are pending for longer, and for how long. */
  lateShare: 0.02,
  lateSeconds: 3_600,
  /** The cores of the largest database server to be used. */
  databaseCores: 32,
  /** `PayoutBatch.layer({ concurrency })`. */
  batchConcurrency: 100
} as const

/** The number of shards of the engine on PostgreSQL. It is fixed. */
export const shards = 300

/** The most items of a `PayoutBatch`. */
const itemsPerBatch = 10_000

/** A batch looks for items that it may start at most five times a second. */
const tickSeconds = 0.2

/** The mean of a pause whose jitter shortens it by up to half. */
const meanJitter = 0.75

const { look, wait } = Policy.defaults

const secondsOf = Duration.toSeconds

/** The reads of a look that takes a time. The first read is immediate. */
export const readsIn = (seconds: number): number => {
  let reads = 1
  let pause = secondsOf(look.initial)
  for (let at = 0; at < seconds; reads++) {
    at += Math.min(pause, secondsOf(look.cap)) * meanJitter
    pause *= look.factor
  }
  return reads
}

/** The durable pauses of a payout that is pending for a time. */
export const pausesIn = (seconds: number): number => {
  let pauses = 0
  for (let at = secondsOf(look.deadline); at < seconds; pauses++) {
    at += (Policy.pauseMillis(wait, pauses) / 1000) * meanJitter + secondsOf(look.deadline)
  }
  return pauses
}

export interface Payday {
  /** The cell that the plan is computed from. */
  readonly basis: Measured
  readonly perSecond: number
  /** Reads of a usual payout, and of a late one. */
  readonly usualReads: number
  readonly lateReads: number
  readonly latePauses: number
  readonly createsPerSecond: number
  readonly readsPerSecond: number
  /** Payouts in a look, and in a durable pause, at a time. */
  readonly looking: number
  readonly sleeping: number
  /** Payouts, and pauses with their looks, that are stored per second. */
  readonly unitsPerSecond: number
  readonly runners: number
  readonly databaseCores: number
  /** Databases, each with its own runners. */
  readonly groups: number
  readonly transactionsPerSecond: number
  readonly rowsPerSecond: number
  readonly walBytesPerSecond: number
  readonly storedBytes: number
  readonly batches: number
  readonly batchesAtOnce: number
  /** How long the measured machine would take with one runner. */
  readonly hoursWithOne: number
}

/** The largest whole cell of one runner on PostgreSQL, in which the database's CPU time is known. */
export const basisOf = (cells: ReadonlyArray<Measured>): Measured | undefined =>
  cells
    .filter(({ busy, engine }) => engine === "postgres" && busy?.database?.cpuMillis !== undefined)
    .sort((one, other) => other.sleeping - one.sleeping)[0]

export const plan = (cells: ReadonlyArray<Measured>): Payday | undefined => {
  const basis = basisOf(cells)
  const { busy } = basis ?? {}
  if (basis === undefined || busy?.database?.cpuMillis === undefined) return undefined
  const { batchConcurrency, hours, lateSeconds, lateShare, payouts, usualSeconds, utilisation } =
    assumptions
  const perSecond = payouts / (hours * 3_600)
  const usualReads = readsIn(usualSeconds)
  const latePauses = pausesIn(lateSeconds)
  const lateReads = (latePauses + 1) * readsIn(secondsOf(look.deadline))
  // A pause and its look store as many rows as a payout that is final within its first look.
  const units = 1 + lateShare * latePauses
  const unitsPerSecond = perSecond * units
  const { database } = busy
  const databaseCores = (unitsPerSecond * busy.database.cpuMillis) / 1000 / utilisation
  const perBatch = batchConcurrency / Math.max(tickSeconds, busy.p50Millis / 1000)
  return {
    basis,
    perSecond,
    usualReads,
    lateReads,
    latePauses,
    createsPerSecond: perSecond,
    readsPerSecond: perSecond * ((1 - lateShare) * usualReads + lateShare * lateReads),
    looking: perSecond * usualSeconds,
    sleeping: perSecond * lateShare * lateSeconds,
    unitsPerSecond,
    runners: Math.ceil((unitsPerSecond * busy.cpuMillis) / 1000 / utilisation),
    databaseCores: Math.ceil(databaseCores),
    groups: Math.ceil(databaseCores / assumptions.databaseCores),
    transactionsPerSecond: unitsPerSecond * database.transactions,
    rowsPerSecond: unitsPerSecond * database.rows,
    walBytesPerSecond: unitsPerSecond * database.walBytes,
    storedBytes: payouts * units * (busy.storeBytes ?? NaN),
    batches: Math.ceil(payouts / itemsPerBatch),
    batchesAtOnce: Math.ceil(perSecond / perBatch),
    hoursWithOne: (payouts * units) / busy.perSecond / 3_600
  }
}
