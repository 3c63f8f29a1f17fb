// The command line of `npm run bench`.
import { parseArgs } from "node:util"
import { candidates } from "./candidates/index.js"
import { isOperation, operations, type Operation } from "./wire/messages.js"

const usage = `npm run bench                        everything, written to docs/performance.md
npm run bench -- --quick             everything within five minutes, printed only
npm run bench -- [FILTERS]           a part of the calls, printed only
npm run bench -- --profile [FILTERS] where the CPU time of each candidate goes

  --part PART,..         ${["calls", "decode", "size", "waits"].join(", ")}
  --only CANDIDATE,..    ${candidates.map(({ name }) => name).join(", ")}
  --op OPERATION,..      ${operations.join(", ")}
  --concurrency N,..     calls in flight
  --rounds N             windows of each candidate
  --waits N              how many waits at once
  --write                write docs/performance.md all the same`

export const parts = ["calls", "decode", "size", "waits"] as const

export type Part = (typeof parts)[number]

const isPart = (text: string): text is Part => parts.some((part) => part === text)

export interface Options {
  readonly quick: boolean
  readonly profile: boolean
  /** Only some of the calls. */
  readonly narrowed: boolean
  readonly write: boolean
  readonly parts: ReadonlyArray<Part>
  readonly only: ReadonlyArray<string> | undefined
  readonly operations: ReadonlyArray<Operation> | undefined
  readonly concurrency: ReadonlyArray<number> | undefined
  readonly rounds: number | undefined
  readonly waits: number | undefined
}

const refuse = (what: string): never => {
  console.error(`${what}\n\n${usage}`)
  process.exit(2)
}

const whole = (name: string, text: string): number => {
  const number = Number(text)
  return Number.isSafeInteger(number) && number > 0
    ? number
    : refuse(`--${name} must be a whole number from 1: ${text}`)
}

const list = <A extends string>(
  name: string,
  text: string | undefined,
  isKnown: (text: string) => text is A
): ReadonlyArray<A> | undefined =>
  text?.split(",").map((item) => (isKnown(item) ? item : refuse(`--${name} does not know ${item}`)))

const isCandidate = (text: string): text is string => candidates.some(({ name }) => name === text)

const parse = () => {
  try {
    return parseArgs({
      options: {
        quick: { type: "boolean", default: false },
        profile: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
        part: { type: "string" },
        only: { type: "string" },
        op: { type: "string" },
        concurrency: { type: "string" },
        rounds: { type: "string" },
        waits: { type: "string" }
      }
    }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

export const read = (): Options => {
  const values = parse()
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const only = list("only", values.only, isCandidate)
  const chosen = list("op", values.op, isOperation)
  const concurrency = values.concurrency?.split(",").map((text) => whole("concurrency", text))
  const narrowed =
    values.profile || only !== undefined || chosen !== undefined || concurrency !== undefined
  return {
    quick: values.quick,
    profile: values.profile,
    narrowed,
    write: values.write || (!values.quick && !narrowed && values.part === undefined),
    parts: list("part", values.part, isPart) ?? (narrowed ? ["calls"] : parts),
    only,
    operations: chosen,
    concurrency,
    rounds: values.rounds === undefined ? undefined : whole("rounds", values.rounds),
    waits: values.waits === undefined ? undefined : whole("waits", values.waits)
  }
}
