import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import * as Simulation from "../src/Simulation.js"

/** The hash of a run in a process of its own. */
const hashElsewhere = async (seed: number): Promise<string> => {
  const program = `
    import * as Simulation from ${JSON.stringify(new URL("../src/Simulation.ts", import.meta.url).href)}
    Simulation.run(7)
    process.stdout.write(Simulation.run(${seed}).trace.hash())`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", program],
    // Where `tsx` is installed.
    { cwd: fileURLToPath(new URL("../../..", import.meta.url)) }
  )
  return stdout
}

describe("a run", () => {
  it("is the same again under the same seed, and another under another", async () => {
    const [once, again, other] = [Simulation.run(42), Simulation.run(42), Simulation.run(43)]
    assert.strictEqual(once.trace.hash(), again.trace.hash())
    assert.deepStrictEqual(once.trace.lines(), again.trace.lines())
    assert.notStrictEqual(once.trace.hash(), other.trace.hash())
  })

  it("is the same in another process, after other runs", { timeout: 60_000 }, async () => {
    const { trace } = Simulation.run(42)
    assert.strictEqual(await hashElsewhere(42), trace.hash())
  })

  it("is another under each of a hundred seeds", { timeout: 60_000 }, async () => {
    const hashes = new Set<string>()
    for (let seed = 0; seed < 100; seed++) hashes.add(Simulation.run(seed).trace.hash())
    assert.strictEqual(hashes.size, 100)
  })
})
