// Measures one kind of pending effect, and sends the result.
import * as atRest from "./atRest.js"
import { isKind, type Held, type Kind } from "./Held.js"
import * as waits from "./waits.js"

const [kind, count] = process.argv.slice(2)
if (!isKind(kind)) throw new Error(`Unknown kind: ${kind}`)

const measures: Readonly<Record<Kind, (count: number) => Promise<Held>>> = {
  wait: waits.heap,
  late: waits.lateness,
  sleep: atRest.sleep,
  async: atRest.async,
  create: atRest.create,
  plainCreate: atRest.plainCreate
}

process.on("disconnect", () => process.exit(0))
const held = await measures[kind](Number(count))
process.send?.(held)
