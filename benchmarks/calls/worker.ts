// The process of one candidate, which runs windows on request.
import type { Drive } from "../candidates/drive.js"
import { candidates } from "../candidates/index.js"
import { operations, rows, type Operation } from "../wire/messages.js"
import type { Ask, Ready } from "./Sample.js"
import { run } from "./window.js"

const [name, port] = process.argv.slice(2)
const send = (message: object): void => void process.send?.(message)

const heapAfterGc = (): number => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

/** Whether data is a result of the operation: an object with an id, or a full page. */
const isResult = (operation: Operation, data: unknown): boolean => {
  if (typeof data !== "object" || data === null) return false
  if (operation !== "list") return "id" in data
  return "data" in data && Array.isArray(data.data) && data.data.length === rows
}

/** Checks the result of a few calls of each operation, so that a failing client is not measured. */
const verify = async (drive: Drive): Promise<void> => {
  for (const operation of operations) {
    let calls = 0
    await drive(operation, {
      more: () => calls++ < 3,
      ended: (_, data) => {
        if (!isResult(operation, data)) throw new Error(`${name} ${operation}: unexpected result`)
      }
    })
  }
}

const open = async (): Promise<Drive | string> => {
  const candidate = candidates.find((candidate) => candidate.name === name)
  if (candidate === undefined) throw new Error(`Unknown candidate: ${name}`)
  const open = await candidate.load()
  return open(Number(port))
}

const drive = await open()
if (typeof drive === "string") {
  send({ skipped: drive } satisfies Ready)
} else {
  await verify(drive)
  const before = heapAfterGc()
  process.on("message", (ask: Ask) => {
    const answer =
      "retained" in ask
        ? Promise.resolve({ retainedBytes: heapAfterGc() - before })
        : run(drive, ask)
    answer.then(send).catch((error: unknown) => {
      console.error(error)
      process.exit(1)
    })
  })
  send({ ready: true } satisfies Ready)
}
process.on("disconnect", () => process.exit(0))
