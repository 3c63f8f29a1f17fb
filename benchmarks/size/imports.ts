// The run time of a process that only imports a program.
import { spawnSync } from "node:child_process"
import { pinned } from "../machine/processes.js"
import { type Quartiles, quartiles } from "../report/statistics.js"
import { bundleOf, fileOf, names, type Program } from "./programs.js"

export interface Imported {
  readonly program: Program
  readonly bundled: boolean
  /** Milliseconds more than the empty program of the same round. */
  readonly millis: Quartiles
}

const timed = (file: string): number => {
  const [command = "", ...rest] = pinned("client", [process.execPath, file])
  const startedMillis = performance.now()
  const { status } = spawnSync(command, rest, { stdio: "ignore" })
  if (status !== 0) throw new Error(`${file} exited with ${status}`)
  return performance.now() - startedMillis
}

export const run = (rounds: number): ReadonlyArray<Imported> => {
  const variants = names.flatMap((program) =>
    [false, true].map((bundled) => ({
      program,
      bundled,
      file: (bundled ? bundleOf : fileOf)(program),
      taken: [] as Array<number>
    }))
  )
  for (let round = 0; round < rounds; round++) {
    for (const { file, taken } of variants) taken.push(timed(file))
  }
  const empty = variants[0]?.taken ?? []
  return variants
    .filter(({ program }) => program !== "empty")
    .map(({ bundled, program, taken }) => ({
      program,
      bundled,
      millis: quartiles(taken.map((millis, round) => millis - (empty[round] ?? NaN)))
    }))
}
