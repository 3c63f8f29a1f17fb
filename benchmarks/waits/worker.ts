// Measures one kind of thing that is held, tells it, and ends.
import * as atRest from "./atRest.js"
import { isKind, type Held, type Kind } from "./Held.js"
import * as waits from "./waits.js"

const [kind, count] = process.argv.slice(2)
if (!isKind(kind)) throw new Error(`There is no kind ${kind}`)

const measures: Readonly<Record<Kind, (count: number) => Promise<Held>>> = {
  wait: waits.heap,
  late: waits.lateness,
  sleep: atRest.sleep,
  async: atRest.async,
  create: atRest.create,
  plainCreate: atRest.plainCreate
}

process.on("disconnect", () => process.exit(0))
const told = await measures[kind](Number(count))
process.send?.(told)
