// Benchmarks Manilla against other clients: `npm run bench`. See `--help` for options.
import { plan } from "./calls/plan.js"
import * as profile from "./calls/profile.js"
import * as calls from "./calls/run.js"
import * as tables from "./calls/tables.js"
import * as decode from "./decode/run.js"
import { buildAll } from "./machine/build.js"
import * as Options from "./options.js"
import { markdown } from "./report/markdown.js"
import type { Report } from "./report/Report.js"
import { write } from "./report/write.js"
import * as size from "./size/run.js"
import * as waits from "./waits/run.js"

const options = Options.read()
const progress = (line: string): void => console.error(line)

/** The cells that the goals are about. */
const profiledCells = [
  { operation: "create", concurrency: 64 },
  { operation: "list", concurrency: 64 }
] as const

const measure = async (): Promise<Report> => {
  const isWanted = (part: Options.Part) => options.parts.includes(part)
  const rounds = options.quick ? 3 : 15
  return {
    ...(isWanted("calls") ? { calls: await calls.run(plan(options, progress)) } : {}),
    ...(isWanted("calls") && !options.quick && !options.narrowed
      ? { profiles: await profile.run(["manilla-lean"], profiledCells, progress) }
      : {}),
    ...(isWanted("decode") ? { decode: await decode.run(options.rounds ?? rounds) } : {}),
    ...(isWanted("size") ? { size: await size.run(options.rounds ?? rounds) } : {}),
    ...(isWanted("waits")
      ? { waits: await waits.run(options.waits ?? (options.quick ? 10_000 : 100_000), progress) }
      : {})
  }
}

await buildAll()
if (options.profile) {
  const profiles = await profile.run(options.only, plan(options, progress).cells, progress)
  for (const { file, functions, packages, title } of profiles) {
    console.log(`## ${title}\n\n${packages(15)}\n\n${functions(40)}\n\nCPU profile: ${file}\n`)
  }
} else {
  const report = await measure()
  console.log(
    options.narrowed && report.calls !== undefined
      ? tables.summary(report.calls)
      : markdown(report, [])
  )
  if (options.write) write(report)
}
