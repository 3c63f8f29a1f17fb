/**
 * A process exits immediately after its last call: the call leaves no timer or connection that keeps it
 * alive.
 */
import { assert, describe } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as child from "./utils/child.js"
import * as RawServer from "../test/utils/RawServer.js"

const Line = Schema.parseJson(Schema.Struct({ ended: Schema.String, laterMillis: Schema.Number }))

/** Less than the attempt timeout and undici's connect timeout. */
const atOnceMillis = 5000

/** Runs a process that makes one call, and returns its output. */
const lastCall = (client: string, baseUrl: string, interruptedAfter = 0) =>
  Effect.promise(async () => {
    const given = [client, baseUrl, String(interruptedAfter)]
    const { ended, lines, stderr } = await child.run(
      "LastCall.ts",
      { limitMillis: 110_000 },
      ...given
    )
    assert.strictEqual(ended, 0, stderr)
    // After the logs.
    return Schema.decodeUnknownSync(Line)(lines.at(-1))
  })

const body = JSON.stringify({ success: true, data: { id: "thing-1", status: "PENDING" } })
const good = RawServer.good(body)

const retryLater = Buffer.from(
  "HTTP/1.1 503 Service Unavailable\r\nretry-after: 30\r\ncontent-length: 0\r\n\r\n"
)

interface Case {
  readonly steps: ReadonlyArray<RawServer.Step>
  readonly url?: (baseUrl: string) => string
  readonly interruptedAfter?: number
  readonly ended: string
}

const cases: Readonly<Record<string, Case>> = {
  "has succeeded": { steps: [good], ended: "Success" },
  "was refused": { steps: [RawServer.good("{}", "422 No")], ended: "UnprocessableError" },
  "lost its connection": { steps: ["reset"], ended: "TransportError" },
  "received too long a body": {
    steps: [RawServer.good(" ".repeat(2000)).subarray(0, 1500)],
    ended: "MalformedResponseError"
  },
  "received no response": {
    steps: [],
    url: (baseUrl) => `${baseUrl}/silent`,
    ended: "TimeoutError"
  },
  "was interrupted": { steps: [], interruptedAfter: 300, ended: "Interrupted" },
  "was interrupted before its retry": {
    steps: [retryLater],
    interruptedAfter: 1000,
    ended: "Interrupted"
  },
  "was interrupted while reading its response": {
    steps: [good.subarray(0, -5)],
    interruptedAfter: 300,
    ended: "Interrupted"
  },
  "never got a connection": {
    steps: [],
    url: (baseUrl) => `${baseUrl.replace("http:", "https:")}/silent`,
    ended: "TransportError"
  }
}

const clients: Readonly<Record<string, ReadonlyArray<string>>> = {
  UndiciClient: Object.keys(cases),
  // Not "never got a connection": undici's connect timeout for a custom dispatcher is 10 seconds.
  "UndiciClient on an open agent": [
    "has succeeded",
    "received too long a body",
    "received no response",
    "was interrupted"
  ],
  "a client derived from UndiciClient on an open agent": ["has succeeded", "was interrupted"]
}

for (const [client, names] of Object.entries(clients)) {
  describe(`over ${client}, a process exits immediately after its last call`, () => {
    for (const [what, { ended, interruptedAfter, steps, url }] of Object.entries(cases)) {
      if (!names.includes(what)) continue
      Test.live(what, function* () {
        const server = yield* RawServer.listen
        server.always(...steps)
        const baseUrl = url === undefined ? server.baseUrl : url(server.baseUrl)
        const line = yield* lastCall(client, baseUrl, interruptedAfter)
        assert.strictEqual(line.ended, ended)
        assert.isBelow(line.laterMillis, atOnceMillis)
      })
    }
  })
}
