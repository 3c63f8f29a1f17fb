// The cells, rounds and window lengths of a run.
import type { Options } from "../options.js"
import { operations } from "../wire/messages.js"
import type { Cell, Plan } from "./run.js"

const everything: ReadonlyArray<Cell> = operations.flatMap((operation) =>
  [1, 16, 64, 256].map((concurrency) => ({ operation, concurrency }))
)

const essential: ReadonlyArray<Cell> = [
  { operation: "create", concurrency: 1 },
  { operation: "create", concurrency: 64 },
  { operation: "get", concurrency: 64 },
  { operation: "list", concurrency: 64 }
]

const cellsOf = ({ concurrency, operations: chosen, quick }: Options): ReadonlyArray<Cell> =>
  chosen === undefined && concurrency === undefined
    ? quick
      ? essential
      : everything
    : (chosen ?? operations).flatMap((operation) =>
        (concurrency ?? [64]).map((inFlight) => ({ operation, concurrency: inFlight }))
      )

export const plan = (options: Options, progress: (line: string) => void): Plan => ({
  cells: cellsOf(options),
  rounds: options.rounds ?? (options.quick ? 4 : 9),
  heatMillis: options.quick ? 500 : 1000,
  warmMillis: options.quick ? 150 : 200,
  millis: options.quick ? 250 : 350,
  only: options.only,
  progress
})
