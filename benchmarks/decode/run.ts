import { result } from "../machine/processes.js"
import { number, spread, table } from "../report/format.js"
import { type Decoded, documents } from "./Decoded.js"

export const run = async (rounds: number): Promise<ReadonlyArray<Decoded>> =>
  (await result({
    file: "decode/worker.js",
    core: "client",
    args: [String(rounds)]
  })) as ReadonlyArray<Decoded>

export const tables = (all: ReadonlyArray<Decoded>): string =>
  table(
    ["decoder", ...documents],
    [...new Set(all.map(({ decoder }) => decoder))].map((decoder) => [
      decoder,
      ...documents.map((document) => {
        const found = all.find((one) => one.decoder === decoder && one.document === document)
        return found === undefined ? "" : `${spread(found.ratio)}, ${number(found.micros)} µs`
      })
    ])
  )
