/**
 * Answers that are not too long to be read, and dear to decode: a client as it is shipped, in a
 * process with little memory, lives on and says what was wrong.
 */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import * as Clients from "./utils/Clients.js"

/** What the client reads unless it is told otherwise. */
const bodyLimit = 8 * 1024 * 1024
/** A page that shows an error has no use for more. */
const shownCharacters = 200_000

const around = (data: string) => `{"success":true,"data":${data}}`
const page = (rows: string) => around(`{"data":[${rows}]}`)
/** As many times as there is room for. */
const times = (text: string) => text.repeat(Math.floor((bodyLimit - 200) / text.length))
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
const members = (): string => {
  const all: Array<string> = []
  for (let size = 0, i = 0; size < bodyLimit - 300; i++) {
    const member = `"k${i}":0`
    all.push(member)
    size += member.length + 1
  }
  return all.join(",")
}
const fitting = `{"id":"1","status":"A"},`

interface Huge {
  readonly status?: number
  readonly body: () => string
  readonly ends: string
}

const misfit = "MalformedResponseError DataMisfit"

const answers: Readonly<Record<string, Huge>> = {
  "rows without members": { body: () => page(times("{},") + "{}"), ends: misfit },
  "rows of other members": { body: () => page(times(`{"a":0},`) + "{}"), ends: misfit },
  "rows that are numbers": { body: () => page(times("1,") + "1"), ends: misfit },
  "rows that are empty arrays": { body: () => page(times("[],") + "[]"), ends: misfit },
  "rows of which the last does not fit": { body: () => page(times(fitting) + "{}"), ends: misfit },
  "arrays nested deep": { body: () => page(nested(100_000)), ends: misfit },
  "arrays nested deep, and wide": {
    body: () => page(`[${"0,".repeat(40)}`.repeat(100_000) + "0" + "]".repeat(100_000)),
    ends: misfit
  },
  "a row of very many members": { body: () => page(`{${members()}}`), ends: misfit },
  "a page of very many members": { body: () => around(`{${members()}}`), ends: misfit },
  "a refusal with very many details": {
    status: 422,
    body: () =>
      `{"success":false,"data":{"error":{"code":"C","message":"m","details":[${times("{},")}{}]}}}`,
    ends: "UnprocessableError"
  },
  "a refusal with very many members": {
    status: 422,
    body: () =>
      `{"success":false,"data":{"error":{"code":"C","message":"m","details":{${members()}}}}}`,
    ends: "UnprocessableError"
  },
  // As long as they are, nothing is wrong with these.
  "rows that all fit": {
    body: () => page(times(fitting) + `{"id":"1","status":"A"}`),
    ends: "Success"
  },
  "a good page beside very many members": {
    body: () => `{"success":true,"data":{"data":[]},${members()}}`,
    ends: "Success"
  }
}
const names = Object.keys(answers)

interface Line {
  readonly answer: string
  readonly tag: string
  readonly reason?: string
  readonly shown: number
}

/** What a process of little memory says of the answers. */
const read = async (client: Clients.Name, baseUrl: string) => {
  const program = fileURLToPath(new URL("utils/HugeAnswersReader.ts", import.meta.url))
  const child = spawn(
    process.execPath,
    ["--max-old-space-size=256", "--import", "tsx", program, client, baseUrl, ...names],
    // Where `tsx` is installed.
    { cwd: fileURLToPath(new URL("../../..", import.meta.url)) }
  )
  const said = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk) => (said.stdout += String(chunk)))
  child.stderr.on("data", (chunk) => (said.stderr += String(chunk)))
  const ended = await new Promise<number | string | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code, signal) => resolve(code ?? signal))
  })
  const lines = said.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Line => JSON.parse(line))
  return { ended, lines, stderr: said.stderr }
}

const readAll = async (client: Clients.Name, gzipped: boolean) => {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? "", "http://localhost").searchParams.get("answer") ?? ""
    const huge = answers[name]
    const body = Buffer.from(huge?.body() ?? "")
    assert.isBelow(body.length, bodyLimit, name)
    if (name !== "arrays nested deep") assert.isAbove(body.length, bodyLimit * 0.95, name)
    const sent = gzipped ? gzipSync(body, { level: 1 }) : body
    response.writeHead(huge?.status ?? 200, {
      "content-type": "application/json",
      "content-length": sent.length,
      ...(gzipped ? { "content-encoding": "gzip" } : {})
    })
    response.end(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    const { port } = server.address() as AddressInfo
    const { ended, lines, stderr } = await read(client, `http://127.0.0.1:${port}/api/v1`)
    if (process.env["FUZZ_VERBOSE"] !== undefined) console.log(client, lines)
    const ends = Object.fromEntries(
      lines.map(({ answer, reason, tag }) => [
        answer,
        reason === undefined ? tag : `${tag} ${reason}`
      ])
    )
    assert.deepStrictEqual(
      { ends, ended },
      { ends: Object.fromEntries(names.map((name) => [name, answers[name]?.ends])), ended: 0 },
      stderr.slice(-2000)
    )
    for (const line of lines) {
      assert.isBelow(line.shown, shownCharacters, line.answer)
    }
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

describe("a list of almost the most that is read, in a process of little memory", () => {
  for (const client of Clients.names) {
    it(`over ${client} does not end the process`, () => readAll(client, false))
  }

  it("compressed, over fetch, does not end the process", () => readAll("fetch", true))
})
