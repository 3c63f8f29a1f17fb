/**
 * The bytes of HTTP clients in any language, on a raw socket. Each obtains a token, pays and reads the payment.
 */
import { assert, describe } from "@effect/vitest"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import { collection } from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { connect } from "node:net"
import { clients, curl, type Head, isAboutBody, isLength } from "./utils/clients.js"
import { credentialsBody } from "./utils/harness.js"

interface Answer {
  readonly status: number
  readonly body: string
}

/** The complete responses at the start of the received text. */
const answersIn = (received: string): ReadonlyArray<Answer> => {
  const [head, status] = /^HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/.exec(received) ?? []
  if (head === undefined) return []
  const [, length = 0] = /^content-length: (\d+)/im.exec(head) ?? []
  const end = head.length + Number(length)
  if (received.length < end) return []
  const body = received.slice(head.length, end)
  return [{ status: Number(status), body }, ...answersIn(received.slice(end))]
}

interface Sent {
  /** The address of a gateway. */
  readonly url: string
  readonly text: string
  /** Sent after the response `100 Continue`. */
  readonly afterContinue?: string | undefined
  readonly answers?: number
}

/** Sends text on a new connection, and waits for a number of responses, besides `100 Continue`. */
const exchange = ({ afterContinue = "", answers: wanted = 1, text, url }: Sent) =>
  Effect.async<ReadonlyArray<Answer>>((resume) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let received = ""
    let held = afterContinue
    socket.setEncoding("latin1").on("data", (more) => {
      received += String(more)
      const answers = answersIn(received)
      if (answers[0]?.status === 100 && held !== "") {
        socket.write(held)
        held = ""
      }
      const final = answers.filter(({ status }) => status !== 100)
      if (final.length === wanted) {
        socket.destroy()
        resume(Effect.succeed(final))
      }
    })
    socket.on("error", (error) => resume(Effect.die(error)))
    socket.on("close", () => resume(Effect.dieMessage(`closed after: ${received}`)))
    return Effect.sync(() => socket.destroy())
  })

/** A request with this head. Without a body, it is a read. */
const requestOf = (
  head: Head,
  url: string,
  path: string,
  { body, headers = [] }: { readonly body?: string; readonly headers?: Head }
): Sent => {
  const { host, origin, pathname } = new URL(url)
  const [line = "", ...own] = body === undefined ? head.filter((one) => !isAboutBody(one)) : head
  const text = [body === undefined ? line.replace("POST", "GET") : line, ...headers, ...own]
    .map((one) =>
      one
        .replace("{origin}", origin)
        .replace("{target}", pathname + path)
        .replace("{host}", host)
        .replace("{length}", String(body?.length))
    )
    .join("\r\n")
  const bytes = body === undefined || head.some(isLength) ? (body ?? "") : inChunks(body)
  const waits = body !== undefined && head.includes("Expect: 100-continue")
  return {
    url,
    text: `${text}\r\n\r\n${waits ? "" : bytes}`,
    afterContinue: waits ? bytes : undefined
  }
}

const inChunks = (body: string): string =>
  [body.slice(0, 20), body.slice(20), ""]
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    .join("")

const decodeToken = Schema.decodeUnknownSync(
  Schema.parseJson(Schema.Struct({ data: Schema.Struct({ access_token: Schema.String }) }))
)
const decodePayment = Schema.decodeUnknownSync(
  Schema.parseJson(Schema.Struct({ data: Schema.Struct({ id: Schema.String }) }))
)

const sendWith = (head: Head, url: string, path: string, rest: Parameters<typeof requestOf>[3]) =>
  Effect.map(
    exchange(requestOf(head, url, path, rest)),
    ([answer = { status: 0, body: "" }]) => answer
  )

/** The header of a new token. */
const authorization = (head: Head) =>
  Effect.gen(function* () {
    const { authUrl } = yield* Sandbox.Sandbox
    const body = JSON.stringify(yield* credentialsBody)
    const answer = yield* sendWith(head, authUrl, "/auth/application/token", { body })
    assert.strictEqual(answer.status, 200, answer.body)
    return `Authorization: Bearer ${decodeToken(answer.body).data.access_token}`
  })

const layer = SandboxServer.layer()

describe("a client in another language", () => {
  for (const [name, head] of Object.entries(clients)) {
    Test.over(layer).live(`pays once: ${name}`, function* () {
      const { baseUrl, paymentIntents } = yield* Sandbox.Sandbox
      const token = yield* authorization(head)
      const headers = [token, "Idempotency-Key: order-42"]
      const body = JSON.stringify(collection)
      const paid = yield* sendWith(head, baseUrl, "/payments", { body, headers })
      assert.strictEqual(paid.status, 201, paid.body)
      const { id } = decodePayment(paid.body).data
      const read = yield* sendWith(head, baseUrl, `/payments/${id}`, { headers: [token] })
      assert.strictEqual(read.status, 200, read.body)
      assert.strictEqual(decodePayment(read.body).data.id, id)
      assert.lengthOf(yield* paymentIntents, 1)
    })
  }

  Test.over(layer).live("gets the responses to pipelined requests in their order", function* () {
    const { baseUrl: url, paymentIntents } = yield* Sandbox.Sandbox
    const token = yield* authorization(curl)
    const body = JSON.stringify(collection)
    const text = [
      requestOf(curl, url, "/payments", { body, headers: [token, "Idempotency-Key: order-1"] }),
      requestOf(curl, url, "/services", { headers: [token] }),
      requestOf(curl, url, "/nothing", { headers: [token] }),
      requestOf(curl, url, "/payments", { body, headers: [token, "Idempotency-Key: order-2"] })
    ]
      .map((one) => one.text)
      .join("")
    const answers = yield* exchange({ url, text, answers: 4 })
    const statuses = answers.map(({ status }) => status)
    assert.deepStrictEqual(statuses, [201, 200, 404, 201])
    assert.lengthOf(yield* paymentIntents, 2)
  })

  // A page that reached the controls through its own host name could use them.
  Test.over(layer).live("is known by the host of its target, not by its header", function* () {
    const { baseUrl } = yield* Sandbox.Sandbox
    const url = new URL("/_sandbox", baseUrl).href
    const statusAt = (origin: string) => {
      const head = [`POST ${origin}{target} HTTP/1.1`, "Host: {host}"]
      return Effect.map(sendWith(head, url, "/health", {}), ({ status }) => status)
    }
    assert.strictEqual(yield* statusAt("{origin}"), 200)
    assert.strictEqual(yield* statusAt("http://shop.example"), 403)
  })

  Test.over(layer).live("gets 400 if it starts with HTTP/2", function* () {
    const { baseUrl: url } = yield* Sandbox.Sandbox
    const [answer] = yield* exchange({ url, text: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" })
    assert.strictEqual(answer?.status, 400)
  })
})
