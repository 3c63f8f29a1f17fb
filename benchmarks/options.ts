// The command line of `npm run bench`.
import { parseArgs } from "node:util"
import { candidates } from "./candidates/index.js"
import { isOperation, operations, type Operation } from "./wire/messages.js"

const usage = `npm run bench                        run everything and write docs/performance.md
npm run bench -- --quick             run everything within five minutes, print only
npm run bench -- [FILTERS]           run a subset of the calls, print only
npm run bench -- --profile [FILTERS] profile the CPU time of each candidate

  --part PART,..         ${["calls", "decode", "size", "waits"].join(", ")}
  --only CANDIDATE,..    ${candidates.map(({ name }) => name).join(", ")}
  --op OPERATION,..      ${operations.join(", ")}
  --concurrency N,..     calls in flight
  --rounds N             windows per candidate
  --waits N              concurrent waits
  --write                also write docs/performance.md`

export const parts = ["calls", "decode", "size", "waits"] as const

export type Part = (typeof parts)[number]

const isPart = (text: string): text is Part => parts.some((part) => part === text)

export interface Options {
  readonly quick: boolean
  readonly profile: boolean
  /** Whether filters select a subset of the calls. */
  readonly narrowed: boolean
  readonly write: boolean
  readonly parts: ReadonlyArray<Part>
  readonly only: ReadonlyArray<string> | undefined
  readonly operations: ReadonlyArray<Operation> | undefined
  readonly concurrency: ReadonlyArray<number> | undefined
  readonly rounds: number | undefined
  readonly waits: number | undefined
}

const refuse = (problem: string): never => {
  console.error(`${problem}\n\n${usage}`)
  process.exit(2)
}

const positiveInteger = (name: string, text: string): number => {
  const number = Number(text)
  return Number.isSafeInteger(number) && number > 0
    ? number
    : refuse(`--${name} must be a positive integer: ${text}`)
}

const list = <A extends string>(
  name: string,
  text: string | undefined,
  isKnown: (text: string) => text is A
): ReadonlyArray<A> | undefined =>
  text
    ?.split(",")
    .map((item) => (isKnown(item) ? item : refuse(`--${name}: unknown value ${item}`)))

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
  const concurrency = values.concurrency
    ?.split(",")
    .map((text) => positiveInteger("concurrency", text))
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
    rounds: values.rounds === undefined ? undefined : positiveInteger("rounds", values.rounds),
    waits: values.waits === undefined ? undefined : positiveInteger("waits", values.waits)
  }
}
