/**
 * Runs lines for curl with `fetch`, so that a test needs neither curl nor jq.
 */
import { assert } from "vitest"

export type Variables = Map<string, string>

/** The words of a line, with the quotes and the variables of a shell. */
export const wordsOf = (text: string, variables: Variables): ReadonlyArray<string> => {
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
export const send = async (
  words: ReadonlyArray<string>,
  files: Map<string, string> = new Map()
) => {
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
      case "-sN":
        break
      case "--max-time":
        next()
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
export const select = (json: unknown, path: string): string => {
  const found = Array.from(path.matchAll(/\w+/g)).reduce<unknown>(
    (value, [name]) =>
      typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined,
    json
  )
  return typeof found === "string" ? found : assert.fail(`no text at ${path}`)
}
