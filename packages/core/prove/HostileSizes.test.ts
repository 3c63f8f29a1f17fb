/**
 * Responses within the size limit that are expensive to decode. In a process with little memory, a client
 * with default options survives them and reports the right error.
 */
import { assert, describe, it } from "@effect/vitest"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import * as Clients from "../test/utils/Clients.js"
import * as child from "./utils/child.js"

/** The default `bodyLimit`. */
const bodyLimit = 8 * 1024 * 1024
/** A process takes half a minute, and much longer on a busy machine. */
const limitMillis = 600_000
/** Enough for an error page. */
const shownCharacters = 200_000

const around = (data: string) => `{"success":true,"data":${data}}`
const page = (rows: string) => around(`{"data":[${rows}]}`)
/** Repeats a text up to the limit. */
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
  "rows of which the last is invalid": { body: () => page(times(fitting) + "{}"), ends: misfit },
  "deeply nested arrays": { body: () => page(nested(100_000)), ends: misfit },
  "deeply nested, wide arrays": {
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
  // Valid in spite of their size.
  "rows that are all valid": {
    body: () => page(times(fitting) + `{"id":"1","status":"A"}`),
    ends: "Success"
  },
  "a valid page with very many additional members": {
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

const readAll = async (client: Clients.Name, gzipped: boolean) => {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? "", "http://localhost").searchParams.get("answer") ?? ""
    const huge = answers[name]
    const body = Buffer.from(huge?.body() ?? "")
    assert.isBelow(body.length, bodyLimit, name)
    if (name !== "deeply nested arrays") assert.isAbove(body.length, bodyLimit * 0.95, name)
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
    const baseUrl = `http://127.0.0.1:${port}/api/v1`
    const limits = { limitMillis, options: ["--max-old-space-size=256"] }
    const read = await child.run("HugeAnswersReader.ts", limits, client, baseUrl, ...names)
    const { ended, stderr } = read
    const lines = read.lines.filter((line) => line !== "").map((line): Line => JSON.parse(line))
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

describe("a list just below the size limit, in a process with little memory", () => {
  for (const client of Clients.names) {
    it(`over ${client} does not end the process`, () => readAll(client, false), limitMillis)
  }

  it("compressed, over fetch, does not end the process", () => readAll("fetch", true), limitMillis)
})
