import { result } from "../machine/processes.js"
import { kilobytes, number, table } from "../report/format.js"
import { type Held, type Kind, kinds } from "./Held.js"

const creates = 1000

const titles: Readonly<Record<Kind, string>> = {
  wait: "a sleeping wait for a payment",
  late: "a wait for a payment that becomes final",
  sleep: "a bare sleeping fiber",
  async: "a bare `Effect.async`",
  create: "a create in flight, lean",
  plainCreate: "the same over another client"
}

export const run = async (
  waits: number,
  progress: (line: string) => void
): Promise<ReadonlyArray<Held>> => {
  const all: Array<Held> = []
  for (const kind of kinds) {
    const count = kind === "create" || kind === "plainCreate" ? creates : waits
    progress(`${count} times ${titles[kind]}`)
    const told = await result({
      file: "waits/worker.js",
      core: "client",
      node: ["--expose-gc", "--max-old-space-size=8192"],
      args: [kind, String(count)]
    })
    all.push(told as Held)
  }
  return all
}

export const tables = (all: ReadonlyArray<Held>): string =>
  table(
    [
      "at once",
      "",
      "heap each",
      "CPU to start each",
      "all started within",
      "delay: median",
      "p99",
      "last"
    ],
    all.map(({ bytesEach, count, kind, late, startMicros, startSeconds }) => [
      count.toLocaleString("en"),
      titles[kind],
      bytesEach === undefined ? "" : kilobytes(bytesEach),
      `${number(startMicros)} µs`,
      `${number(startSeconds)} s`,
      ...(late === undefined
        ? ["", "", ""]
        : [late.p50Millis, late.p99Millis, late.mostMillis].map((millis) => `${number(millis)} ms`))
    ])
  )
