// Measures parsing and decoding in rounds, and sends the results.
import { answers } from "../wire/messages.js"
import { median, quartiles } from "../report/statistics.js"
import { documents, type Decoded, type Document } from "./Decoded.js"
import { decoders } from "./decoders.js"

const rounds = Number(process.argv[2])
const windowMicros = 40_000

const texts: Readonly<Record<Document, string>> = {
  "one payment": answers.create,
  "page of 100": answers.list
}

/** The CPU time of one run in microseconds, averaged over a window. */
const timed = (run: () => void): number => {
  const started = process.cpuUsage()
  let runs = 0
  let micros = 0
  while (micros < windowMicros) {
    for (let repeat = 0; repeat < 20; repeat++) run()
    runs += 20
    const { system, user } = process.cpuUsage(started)
    micros = user + system
  }
  return micros / runs
}

const measure = (): ReadonlyArray<Decoded> => {
  const all = Object.entries(decoders)
  return documents.flatMap((document) => {
    const text = texts[document]
    const parsed: unknown = JSON.parse(text)
    const runs: ReadonlyArray<readonly [string, () => void]> = [
      ["JSON.parse", () => void JSON.parse(text)],
      ...all.map(([name, decoder]) => [name, () => decoder[document](parsed)] as const)
    ]
    for (const [, run] of runs) for (let warm = 0; warm < 10; warm++) timed(run)
    const taken = new Map<string, Array<number>>(runs.map(([name]) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [name, run] of runs) taken.get(name)?.push(timed(run))
    }
    const parse = taken.get("JSON.parse") ?? []
    return [...taken].map(([decoder, micros]) => ({
      document,
      decoder,
      micros: median(micros),
      ratio: quartiles(micros.map((each, round) => each / (parse[round] ?? NaN)))
    }))
  })
}

process.on("disconnect", () => process.exit(0))
const results = measure()
process.send?.(results)
