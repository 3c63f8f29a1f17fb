// The process of one candidate: sets its client up, and runs a window whenever it is asked to.
import type { Drive } from "../candidates/drive.js"
import { candidates } from "../candidates/index.js"
import { operations, rows, type Operation } from "../wire/messages.js"
import type { Ask, Ready } from "./Sample.js"
import { run } from "./window.js"

const [name, port] = process.argv.slice(2)
const tell = (message: object): void => void process.send?.(message)

const collected = (): number => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

/** Whether data is what the operation answers: an object with an id, or all rows of a page. */
const isAnswer = (operation: Operation, data: unknown): boolean => {
  if (typeof data !== "object" || data === null) return false
  if (operation !== "list") return "id" in data
  return "data" in data && Array.isArray(data.data) && data.data.length === rows
}

/** One call of each operation, whose answer is looked at: a client that fails is not measured. */
const verify = async (drive: Drive): Promise<void> => {
  for (const operation of operations) {
    let calls = 0
    await drive(operation, {
      more: () => calls++ < 3,
      ended: (_, data) => {
        if (!isAnswer(operation, data)) throw new Error(`${name} ${operation} has no answer`)
      }
    })
  }
}

const open = async (): Promise<Drive | string> => {
  const candidate = candidates.find((candidate) => candidate.name === name)
  if (candidate === undefined) throw new Error(`There is no candidate ${name}`)
  const open = await candidate.load()
  return open(Number(port))
}

const drive = await open()
if (typeof drive === "string") {
  tell({ skipped: drive } satisfies Ready)
} else {
  await verify(drive)
  const before = collected()
  process.on("message", (ask: Ask) => {
    const answer =
      "retained" in ask ? Promise.resolve({ retainedBytes: collected() - before }) : run(drive, ask)
    answer.then(tell).catch((error: unknown) => {
      console.error(error)
      process.exit(1)
    })
  })
  tell({ ready: true } satisfies Ready)
}
process.on("disconnect", () => process.exit(0))
