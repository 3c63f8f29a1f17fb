// Runs the lines of docs/curl.md. It sends them with `fetch`, so that it needs neither curl nor jq.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import * as ControlDocument from "@manilla/sandbox/ControlDocument"
import * as ServiceApi from "@manilla/sandbox/ServiceApi"
import * as command from "./utils/command.js"

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

type Variables = Map<string, string>

/** The words of a line, with the quotes and the variables of a shell. */
const wordsOf = (text: string, variables: Variables): ReadonlyArray<string> => {
  const expand = (part: string) =>
    part.replace(/\$(\w+)/g, (_, name: string) => variables.get(name) ?? assert.fail(`no $${name}`))
  return Array.from(text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g), ([word]) =>
    word.replace(
      /'([^']*)'|"([^"]*)"|([^'"]+)/g,
      (_, raw?: string, quoted?: string, bare?: string) =>
        raw === undefined ? expand(quoted ?? bare ?? "") : raw
    )
  )
}

/** Sends what curl would send. `files` has the files that lines write with `>` and send with `@`. */
const curl = async (words: ReadonlyArray<string>, files: Map<string, string>) => {
  let output: string | undefined
  const headers = new Headers()
  let method: string | undefined
  let body: string | undefined
  let url = ""
  const rest = [...words]
  const next = () => rest.shift() ?? assert.fail("an option without a value")
  while (rest.length > 0) {
    const word = next()
    switch (word) {
      case "curl":
      case "-s":
        break
      case "-X":
        method = next()
        break
      case "-H": {
        const [name = "", value = ""] = next().split(": ")
        headers.set(name, value)
        break
      }
      case "--json":
        body = next().replace(/^@(.*)$/, (_, file: string) => files.get(file) ?? assert.fail(file))
        headers.set("content-type", "application/json")
        headers.set("accept", "application/json")
        break
      case ">":
        output = next()
        break
      default:
        assert.match(word, /^http:/)
        url = word
    }
  }
  const init: RequestInit = { method: method ?? (body === undefined ? "GET" : "POST"), headers }
  if (body !== undefined) init.body = body
  const response = await fetch(url, init).catch(() => undefined)
  if (output !== undefined && response !== undefined) {
    files.set(output, await response.clone().text())
  }
  return response
}

/** The value at a path of jq, such as `.data[0].id`. */
const select = (json: unknown, path: string): string => {
  const found = Array.from(path.matchAll(/\w+/g)).reduce<unknown>(
    (value, [name]) =>
      typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined,
    json
  )
  return typeof found === "string" ? found : assert.fail(`no text at ${path}`)
}

describe("docs/curl.md", () => {
  it("has lines that work, for every operation and every control", async () => {
    const { exported, origin, stop } = await command.start(["--quiet"])
    const addresses: Readonly<Record<string, string | undefined>> = {
      BASE: exported["MANILLA_BASE_URL"],
      AUTH: exported["MANILLA_AUTH_URL"],
      SANDBOX: `${origin}/_sandbox`
    }
    const variables: Variables = new Map()
    const files = new Map<string, string>()
    const answered: Array<string> = []
    // The journal is read before a reset or a snapshot starts it again.
    const journal: Array<{ readonly operation: string; readonly status: number | null }> = []
    for (const { expected, text } of lines) {
      const assigned = /^(\w+)=(?:\$\((curl .*) \| jq -r '([^']+)'\)|(http:\S+))$/.exec(text)
      const [, name = "", call = text, path, address] = assigned ?? []
      if (address !== undefined) {
        variables.set(name, addresses[name] ?? assert.fail(`no address ${name}`))
        continue
      }
      if (/\/reset|-X PUT/.test(text)) {
        const requests = await fetch(`${origin}/_sandbox/requests?limit=1000`)
        journal.push(...(await requests.json()))
      }
      const response = await curl(wordsOf(call, variables), files)
      assert.strictEqual(
        response === undefined ? "no response" : String(response.status),
        expected,
        text
      )
      if (response === undefined) continue
      const { pathname } = new URL(response.url)
      answered.push(pathname)
      const json = response.status === 204 ? undefined : await response.json()
      if (path !== undefined) variables.set(name, select(json, path))
    }
    const reached = new Set(
      journal.flatMap(({ operation, status }) =>
        status !== null && status < 300 ? [operation] : []
      )
    )
    assert.deepStrictEqual(
      Array.from(reached).sort(),
      Array.from(ServiceApi.operations.keys()).sort()
    )
    for (const path of Object.keys(ControlDocument.make().paths)) {
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`)
      assert.isTrue(
        answered.some((one) => pattern.test(one)),
        path
      )
    }
    await stop()
  })
})
