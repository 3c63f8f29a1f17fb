import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { fileURLToPath } from "node:url"
import * as cli from "../src/internal/cli.js"
import * as node from "./utils/node.js"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))
const tsx = new URL("../../../node_modules/tsx/dist/loader.mjs", import.meta.url).href

const run = (args: ReadonlyArray<string>, onOutput?: node.OnOutput) =>
  node.run(["--import", tsx, bin, ...args], onOutput)

const exported = (stdout: string, name: string): string =>
  new RegExp(`^export ${name}=(\\S+)$`, "m").exec(stdout)?.[1] ?? ""

describe.concurrent("manilla-sandbox", () => {
  it("serves the printed URLs until it is stopped", async () => {
    let status: Promise<number> | undefined
    const { code } = await run(["--port", "0", "--auth-port", "0"], (stdout, kill) => {
      if (status !== undefined || exported(stdout, "MANILLA_ENVIRONMENT") === "") return
      status = fetch(`${exported(stdout, "MANILLA_AUTH_URL")}/auth/application/token`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          client_id: exported(stdout, "MANILLA_CLIENT_ID"),
          client_secret: exported(stdout, "MANILLA_CLIENT_SECRET")
        })
      }).then((response) => {
        kill("SIGTERM")
        return response.status
      })
    })
    assert.strictEqual(await status, 200)
    assert.strictEqual(code, 0)
  })

  it("does not start with invalid arguments", async () => {
    const { code, stderr, stdout } = await run(["--prot", "4010"])
    assert.strictEqual(code, 2)
    assert.strictEqual(stdout, "")
    assert.match(stderr, /^Unknown option '--prot'/)
    assert.include(stderr, "Usage: manilla-sandbox")
  })
})

describe("its arguments", () => {
  it("are two ports with defaults", () => {
    assert.deepStrictEqual(
      cli.parse([]),
      Either.right({ _tag: "Serve", port: 4010, authPort: 4011 })
    )
    assert.deepStrictEqual(
      cli.parse(["--port", "0", "--auth-port=8080"]),
      Either.right({ _tag: "Serve", port: 0, authPort: 8080 })
    )
  })

  it("can request help", () => {
    assert.deepStrictEqual(cli.parse(["--help"]), Either.right({ _tag: "Help" }))
  })

  for (const args of [
    ["--port", "70000"],
    ["--port", "0x1"],
    ["--port", "-1"],
    ["--port", ""],
    ["--auth-port"],
    ["--port", "80", "--auth-port", "80"],
    ["4010"]
  ]) {
    it(`are refused: ${args.join(" ")}`, () => {
      assert.isTrue(Either.isLeft(cli.parse(args)))
    })
  }
})
