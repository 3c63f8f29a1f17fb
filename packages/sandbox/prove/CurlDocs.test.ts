// Runs the lines of docs/curl.md. It sends them with `fetch`, so that it needs neither curl nor jq.

import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"

import * as OpenApiDocument from "@manilla/sandbox/OpenApiDocument"
import * as command from "./utils/command.js"
import type { Variables } from "../test/utils/curl.js"
import { select, send, wordsOf } from "../test/utils/curl.js"

const page = readFileSync(new URL("../docs/curl.md", import.meta.url), "utf8")

interface Line {
  /** The comment above the line. */
  readonly expected: string
  readonly text: string
}

const lines: ReadonlyArray<Line> = Array.from(page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)).flatMap(
  ([, block = ""]) => {
    const all = block.trimEnd().split("\n")
    return all.flatMap((text, index) =>
      text.startsWith("#") ? [] : [{ text, expected: all[index - 1]?.replace(/^# /, "") ?? "" }]
    )
  }
)

describe("docs/curl.md", () => {
  it("has lines that work, for every control", async () => {
    const { exported, origin, stop } = await command.start(["--quiet"])
    const addresses: Readonly<Record<string, string | undefined>> = {
      BASE: exported["MANILLA_BASE_URL"],
      AUTH: exported["MANILLA_AUTH_URL"],
      SANDBOX: `${origin}/_sandbox`
    }
    const variables: Variables = new Map()
    const files = new Map<string, string>()
    const answered: Array<string> = []
    for (const { expected, text } of lines) {
      const assigned = /^(\w+)=(?:\$\((curl .*) \| jq -r '([^']+)'\)|(http:\S+))$/.exec(text)
      const [, name = "", call = text, path, address] = assigned ?? []
      if (address !== undefined) {
        variables.set(name, addresses[name] ?? assert.fail(`no address ${name}`))
        continue
      }
      const response = await send(wordsOf(call, variables), files)
      const status = response === undefined ? "no response" : String(response.status)
      assert.strictEqual(status, expected, text)
      if (response === undefined) continue
      const { pathname } = new URL(response.url)
      answered.push(pathname)
      if (response.headers.get("content-type") === "text/event-stream") {
        await response.body?.cancel()
        continue
      }
      const json = response.status === 204 ? undefined : await response.json()
      if (path !== undefined) variables.set(name, select(json, path))
    }
    for (const path of Object.keys(OpenApiDocument.control().paths)) {
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`)
      assert.isTrue(
        answered.some((one) => pattern.test(one)),
        path
      )
    }
    await stop()
  })
})
