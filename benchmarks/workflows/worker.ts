// A process that runs one program, and measures what its parent asks for.
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { quantileOf } from "../format.js"
import { answer, cost, heapBytes } from "../worker.js"
import { type Jobs, type Name, type Places, type Program, programs } from "./programs.js"

/** A job for `count` keys, or a rest of `count` milliseconds. */
export interface Ask {
  readonly job: keyof Jobs | "rest"
  readonly count: number
  readonly atOnce: number
}

export interface Sample {
  readonly count: number
  readonly millis: number
  /** CPU time of the process. */
  readonly cpuMillis: number
  /** The time of one. */
  readonly p50Millis: number
  readonly p99Millis: number
  /** After a garbage collection. */
  readonly heapBytes: number
}

const [name, places]: readonly [Name, Places] = JSON.parse(process.argv[2] ?? "")
const program: Program = programs[name]
const open = (await program.load())[name]
if (open === undefined) throw new Error(`no program ${name}`)
const run = await Effect.runPromise(Scope.extend(open(places), Effect.runSync(Scope.make())))

let keys = 0
const keyOf = () => IdempotencyKey.make(`bench:payout:${++keys}`)

answer(async ({ atOnce, count, job }: Ask): Promise<Sample> => {
  const begin = job === "rest" ? () => Effect.as(Effect.sleep(count), []) : run[job]
  if (begin === undefined) throw new Error(`${name} cannot ${job}`)
  const wanted = job === "rest" ? [] : Array.from({ length: count }, keyOf)
  const { cpuMillis, millis, value } = await cost(() => Effect.runPromise(begin(wanted, atOnce)))
  return {
    count,
    millis,
    cpuMillis,
    p50Millis: quantileOf(value, 0.5),
    p99Millis: quantileOf(value, 0.99),
    heapBytes: heapBytes()
  }
})
