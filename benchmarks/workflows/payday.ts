// Plans a country's payday from the measured figures.
import * as Policy from "@manilla/workflows/Policy"
import * as Duration from "effect/Duration"
import { kilobytes, megabytes, number, table, whole } from "../format.js"
import { type Measured, titles } from "./Measured.js"

const assumptions = {
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
const shards = 300

/** The most items of a `PayoutBatch`. */
const itemsPerBatch = 10_000

/** A batch looks for items that it may start at most five times a second. */
const tickSeconds = 0.2

/** The mean of a pause whose jitter shortens it by up to half. */
const meanJitter = 0.75

const { look, wait } = Policy.defaults
const secondsOf = Duration.toSeconds

/** The reads of a look that takes a time. The first read is immediate. */
const readsIn = (seconds: number): number => {
  let reads = 1
  let pause = secondsOf(look.initial)
  for (let at = 0; at < seconds; reads++) {
    at += Math.min(pause, secondsOf(look.cap)) * meanJitter
    pause *= look.factor
  }
  return reads
}

/** The durable pauses of a payout that is pending for a time. */
const pausesIn = (seconds: number): number => {
  let pauses = 0
  for (let at = secondsOf(look.deadline); at < seconds; pauses++) {
    at += (Policy.pauseMillis(wait, pauses) / 1000) * meanJitter + secondsOf(look.deadline)
  }
  return pauses
}

/** The largest whole cell of one runner on PostgreSQL, in which the database's CPU time is known. */
const basisOf = (cells: ReadonlyArray<Measured>): Measured | undefined =>
  cells
    .filter(({ busy, engine }) => engine === "postgres" && busy?.database?.cpuMillis !== undefined)
    .sort((one, other) => other.sleeping - one.sleeping)[0]

/** The plan as Markdown. */
export const section = (cells: ReadonlyArray<Measured>): ReadonlyArray<string> => {
  const basis = basisOf(cells)
  const database = basis?.busy?.database
  if (basis?.busy === undefined || database?.cpuMillis === undefined) {
    return ["There is no plan: no row of PostgreSQL with one runner is whole."]
  }
  const { busy } = basis
  const { batchConcurrency, hours, lateSeconds, lateShare, payouts, usualSeconds, utilisation } =
    assumptions
  const perSecond = payouts / (hours * 3_600)
  const usualReads = readsIn(usualSeconds)
  const latePauses = pausesIn(lateSeconds)
  const lateReads = (latePauses + 1) * readsIn(secondsOf(look.deadline))
  // A pause and its look store as many rows as a payout that is final within its first look.
  const units = 1 + lateShare * latePauses
  const unitsPerSecond = perSecond * units
  const runners = Math.ceil((unitsPerSecond * busy.cpuMillis) / 1000 / utilisation)
  const databaseCores = Math.ceil((unitsPerSecond * database.cpuMillis) / 1000 / utilisation)
  const groups = Math.ceil(databaseCores / assumptions.databaseCores)
  const sleeping = perSecond * lateShare * lateSeconds
  const perBatch = batchConcurrency / Math.max(tickSeconds, busy.p50Millis / 1000)
  const reads = perSecond * ((1 - lateShare) * usualReads + lateShare * lateReads)
  const used = `at ${number(utilisation * 100)} % utilisation`
  return [
    "## A country's payday",
    `${whole(payouts)} payouts in ${hours} hours, by calculation from the row "${titles[basis.engine]}, ${whole(basis.sleeping)} sleeping" above: ${number(busy.cpuMillis)} ms of a runner's CPU and ${number(database.cpuMillis)} ms of PostgreSQL's for each payout, ${number(database.transactions)} transactions, ${number(database.rows)} rows written and ${kilobytes(database.walBytes)} of write-ahead log. The calculation is in \`benchmarks/workflows/payday.ts\`.`,
    table(
      ["quantity", "needed", "how it is computed"],
      [
        ["payouts", `${whole(perSecond)} / s`, "payouts, divided by the window"],
        [
          "stored payouts and pauses",
          `${whole(unitsPerSecond)} / s`,
          `a late payout has ${latePauses} pauses; a pause and its look store as many rows as a payout`
        ],
        ["runners, one core each", whole(runners), `CPU of a runner, ${used}`],
        ["shards", `${shards}`, "fixed; a runner without a shard has no work"],
        ["cores of PostgreSQL", whole(databaseCores), `its CPU, ${used}`],
        [
          "databases, each with its own runners",
          whole(groups),
          `servers of ${assumptions.databaseCores} cores`
        ],
        [
          "transactions",
          `${whole(unitsPerSecond * database.transactions)} / s`,
          "over all databases"
        ],
        ["rows written", `${whole(unitsPerSecond * database.rows)} / s`, "over all databases"],
        [
          "write-ahead log",
          `${megabytes(unitsPerSecond * database.walBytes)} / s`,
          "over all databases; the bandwidth of disks and replicas"
        ],
        [
          "stored at the end",
          `${whole((payouts * units * (busy.storeBytes ?? NaN)) / 1e9)} GB`,
          "until it is purged; see `Executions.layerRetention`"
        ],
        ["creations at the service", `${whole(perSecond)} / s`, "one for each payout"],
        [
          "reads at the service",
          `${whole(reads)} / s`,
          `${usualReads} for a usual payout, ${lateReads} for a late one`
        ],
        [
          "payouts in a look at a time",
          whole(perSecond * usualSeconds),
          "in memory, over all runners: rate × pending time"
        ],
        [
          "sleeping at a time",
          whole(sleeping),
          `late payouts, in the database; ${basis.sleeping < sleeping ? "more than in the measurement: measure that first" : "fewer than in the measurement"}`
        ],
        [
          "batches",
          `${whole(payouts / itemsPerBatch)}, ${Math.ceil(perSecond / perBatch)} at a time`,
          `of ${whole(itemsPerBatch)} items, with a concurrency of ${batchConcurrency}`
        ]
      ]
    ),
    `With one runner and its database on the measured machine, this payday would take ${whole((payouts * units) / busy.perSecond / 3_600)} hours.`,
    "Assumptions:",
    [
      `- ${number((1 - lateShare) * 100)} % of the payouts are final after ${usualSeconds} seconds, within their first look. The others are pending for ${whole(lateSeconds / 60)} minutes. Nobody knows this of the real service: measure it with a small batch, and change \`assumptions\`.`,
      "- The policy is the default one, with the mean of its jitter. A longer `look.initial` means fewer reads.",
      "- The service accepts this rate. Its interface shows no rate limit: ask before. Answers that take longer cost no CPU, but keep more payouts in memory.",
      "- CPU adds up: twice the runners do twice the work.",
      "- A core of yours is as fast as one of the measured machine, and PostgreSQL's disk keeps up with the write-ahead log. Each commit waits for the disk.",
      `- Each database has its own group of runners and a part of the payouts, for example by employer: two groups share nothing. The number of shards, ${shards}, is the most runners of a group.`
    ].join("\n")
  ]
}
