// Compares the cost of Manilla with that of other clients: `npm run bench`.
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { buildAll } from "./build.js"
import * as calls from "./calls.js"
import { operations } from "./messages.js"
import { markdown, type Report } from "./performance.js"
import * as size from "./size.js"
import * as waits from "./waits.js"

const parts = ["calls", "burst", "size", "waits"]

const usage = `npm run bench                 run everything and write docs/performance.md
npm run bench -- --quick      run everything within five minutes, print only
npm run bench -- --part A,B   run a part, print only

  --part PART,..         ${parts.join(", ")}
  --rounds N             windows per client
  --waits N              concurrent waits`

const refuse = (problem: string): never => {
  console.error(`${problem}\n\n${usage}`)
  process.exit(2)
}

const text = { type: "string" } as const
const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
    part: text,
    rounds: text,
    waits: text
  }
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}

const positive = (word: string): number =>
  /^[1-9]\d{0,8}$/.test(word) ? Number(word) : refuse(`Not a positive integer: ${word}`)

const { quick } = values
const wanted = values.part?.split(",") ?? parts
const unknown = wanted.find((part) => !parts.includes(part))
if (unknown !== undefined) refuse(`Unknown part: ${unknown}`)
const rounds = values.rounds === undefined ? undefined : positive(values.rounds)
const inFlight = quick ? [64] : [1, 16, 64, 256]
const progress = (line: string): void => console.error(line)

const plan: calls.Plan = {
  cells: operations.flatMap((operation) =>
    inFlight.map((concurrency) => ({ operation, concurrency }))
  ),
  rounds: rounds ?? (quick ? 4 : 9),
  heatMillis: quick ? 500 : 1000,
  warmMillis: quick ? 150 : 200,
  millis: quick ? 250 : 350,
  progress
}

await buildAll("server.ts", "callsWorker.ts", "waitsWorker.ts")
const waiting = values.waits === undefined ? (quick ? 10_000 : 100_000) : positive(values.waits)
const report: Report = {
  ...(wanted.includes("calls") ? { calls: await calls.run(plan) } : {}),
  ...(wanted.includes("burst") ? { bursts: await calls.bursts(quick ? 300 : 1000) } : {}),
  ...(wanted.includes("size") ? { size: await size.run() } : {}),
  ...(wanted.includes("waits") ? { waits: await waits.run(waiting, progress) } : {})
}
console.log(markdown(report))
if (!quick && wanted.length === parts.length) {
  writeFileSync(new URL("../docs/performance.md", import.meta.url), markdown(report))
}
