// Runs the steps of the Dockerfile in a folder, because no test can count on Docker.
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import * as command from "./utils/command.js"
import * as node from "./utils/node.js"

const context = fileURLToPath(new URL("..", import.meta.url))
const root = fileURLToPath(new URL("../../..", import.meta.url))

const steps = Array.from(
  readFileSync(join(context, "Dockerfile"), "utf8").matchAll(/^([A-Z]+) (.*)$/gm),
  ([, instruction = "", rest = ""]) => ({ instruction, rest })
)

/** The words of the last `[...]` of an instruction. */
const wordsOf = (name: string): ReadonlyArray<string> => {
  const found = steps.find(({ instruction }) => instruction === name)
  return JSON.parse(found?.rest.match(/\[.*\]$/)?.[0] ?? "[]")
}

describe.skipIf(process.platform === "win32")("the Dockerfile", () => {
  it("makes an image with a command that serves, keeps its data and is healthy", async () => {
    execFileSync(process.execPath, ["--import", command.tsx, "scripts/command.ts"], { cwd: root })
    const image = mkdtempSync(join(tmpdir(), "manilla-image-"))
    const inside = (path: string) => join(image, path)
    let user = "root"
    for (const { instruction, rest } of steps) {
      if (instruction === "USER") user = rest
      if (instruction === "RUN") {
        // The image has the user, this machine may not.
        const script = rest.replace(/ \/(?=\w)/g, ` ${image}/`).replace(/chown \S+/, "test -d")
        execFileSync("sh", ["-c", script])
      }
      if (instruction !== "COPY") continue
      const paths = rest.split(" ")
      const target = inside(paths.pop() ?? "")
      for (const path of paths) {
        const source = join(context, path)
        // A folder is copied without its name.
        const copy = statSync(source).isDirectory() ? target : join(target, basename(path))
        cpSync(source, copy, { recursive: true })
      }
    }
    assert.strictEqual(user, "node")

    const [program, file = "", ...options] = wordsOf("ENTRYPOINT")
    assert.strictEqual(program, "node")
    const data = inside("data/sandbox.data")
    const started = await command.start([...options, "--data", data], [inside(file)])
    const page = await fetch(started.origin)
    assert.match(await page.text(), /<title>/)
    assert.isAbove(statSync(data).size, 0)
    const [, flag = "", check = ""] = wordsOf("HEALTHCHECK")
    const here = check.replace("http://127.0.0.1:4010", started.origin)
    assert.strictEqual((await node.run([flag, here])).code, 0)
    assert.strictEqual((await started.stop()).code, 0)
    assert.strictEqual((await node.run([flag, here])).code, 1)
    rmSync(image, { recursive: true })
  })
})
