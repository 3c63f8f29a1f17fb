import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import * as Simulation from "../src/Simulation.js"
import { range, run } from "./utils/seeds.js"

/** The hash of a run in a separate process. */
const hashElsewhere = async (seed: number): Promise<string> => {
  const program = `
    import * as Simulation from ${JSON.stringify(new URL("../src/Simulation.ts", import.meta.url).href)}
    Simulation.run(7)
    process.stdout.write(Simulation.run(${seed}).trace.hash())`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", program],
    // The directory where `tsx` is installed.
    { cwd: fileURLToPath(new URL("../../..", import.meta.url)) }
  )
  return stdout
}

describe("a run", () => {
  it("is deterministic, whatever ran before it", async () => {
    const seeds = range(40, 20)
    const linesOf = ({ trace }: Simulation.Report) => trace.lines()
    const once = await run(seeds, linesOf)
    const again = await run([...seeds].reverse(), linesOf)
    assert.deepStrictEqual([...again].reverse(), once)
    // The comparison is only meaningful if these runs cover the main events.
    const all = once.flat().join("\n")
    assert.match(all, /outcome: Applied \S+ \S+$/m)
    assert.match(all, /process \d+ ends/)
    assert.match(all, /outcome: Applied .*, COMPLETED/)
  })

  it("is deterministic across processes", async () => {
    const { trace } = Simulation.run(42)
    assert.strictEqual(await hashElsewhere(42), trace.hash())
  })

  it("differs between twenty seeds", async () => {
    const hashes = new Set(await run(range(0, 20), ({ trace }) => trace.hash()))
    assert.strictEqual(hashes.size, 20)
  })
})
