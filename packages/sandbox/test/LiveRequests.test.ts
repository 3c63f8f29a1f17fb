import { assert, describe } from "@effect/vitest"
import * as ControlApi from "@manilla/sandbox/ControlApi"
import * as Fault from "@manilla/sandbox/Fault"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

const originOf = ({ baseUrl }: Sandbox.Service) => new URL(baseUrl).origin

const decode = Schema.decodeUnknownSync(Schema.parseJson(ControlApi.LiveRequests))

/** Reads server-sent events one at a time, as `EventSource` does. */
const events = (response: Response) => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  const next = async (): Promise<{ readonly event: string; readonly data: string }> => {
    const [first = "", ...rest] = text.split("\n\n")
    if (rest.length > 0) {
      text = rest.join("\n\n")
      const [, event = "", data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(first) ?? []
      return { event, data }
    }
    const read = await reader?.read()
    if (read === undefined || read.done) throw new Error("the stream ended")
    text += read.value
    return next()
  }
  return { next: Effect.promise(next), nextExit: Effect.exit(Effect.tryPromise(next)) }
}

const follow = (sandbox: Sandbox.Service, init: RequestInit = {}) =>
  Effect.promise(() => fetch(originOf(sandbox) + ControlApi.requestStream, init))

const call = (sandbox: Sandbox.Service, init: RequestInit = {}) =>
  Effect.promise(() =>
    fetch(`${sandbox.baseUrl}/services`, init).then((response) => response.text())
  )

describe("the live requests", () => {
  Test.live("start with the latest, and continue with those that arrive and end", function* () {
    const sandbox = yield* SandboxServer.make()
    yield* call(sandbox)
    const response = yield* follow(sandbox)
    assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
    const { next } = events(response)
    const latest = yield* next
    assert.strictEqual(latest.event, "requests")
    assert.deepStrictEqual(
      decode(latest.data).requests.map(({ body, index, operation, status }) => [
        index,
        operation,
        status,
        body
      ]),
      [[0, "Catalogue.list", 401, null]]
    )

    yield* sandbox.faults.add(Fault.delay("1 minute"))
    const leaving = new AbortController()
    const slow = yield* Effect.fork(Effect.exit(call(sandbox, { signal: leaving.signal })))
    const { requests: opened } = decode((yield* next).data)
    const states = opened.map(({ index, ending }) => [index, ending])
    assert.deepStrictEqual(states, [[1, "open"]])
    leaving.abort()
    const { requests: ended } = decode((yield* next).data)
    const ends = ended.map(({ fault, index, ending }) => [index, ending, fault])
    assert.deepStrictEqual(ends, [[1, "caller left", "delay"]])
    yield* Fiber.join(slow)
  })

  Test.live("start again after a reset", function* () {
    const sandbox = yield* SandboxServer.make()
    yield* call(sandbox)
    const { next } = events(yield* follow(sandbox))
    assert.lengthOf(decode((yield* next).data).requests, 1)
    yield* sandbox.reset()
    assert.deepStrictEqual(decode((yield* next).data), { reset: true, requests: [] })
  })

  Test.live("reach each of several readers, and go on after one has left", function* () {
    const sandbox = yield* SandboxServer.make()
    const leaving = new AbortController()
    const one = events(yield* follow(sandbox, { signal: leaving.signal }))
    const other = events(yield* follow(sandbox))
    yield* Effect.all([one.next, other.next])
    leaving.abort()
    yield* call(sandbox)
    assert.lengthOf(decode((yield* other.next).data).requests, 1)
    assert.isTrue(Exit.isFailure(yield* one.nextExit))
  })

  Test.live("end when the sandbox stops", function* () {
    const scope = yield* Scope.make()
    const sandbox = yield* SandboxServer.make().pipe(Scope.extend(scope))
    const { next, nextExit } = events(yield* follow(sandbox))
    yield* next
    yield* Scope.close(scope, Exit.void)
    assert.isTrue(Exit.isFailure(yield* nextExit))
  })

  Test.effect("have at most the newest 1,000 in an event", function* () {
    const { client, sandbox } = yield* SandboxClient.make()
    yield* Effect.replicateEffect(client.get(`${sandbox.baseUrl}/services`), 1010)
    const [latest] = yield* Stream.runCollect(Stream.take(sandbox.liveRequests, 1))
    assert.lengthOf(latest?.requests ?? [], 1000)
    assert.strictEqual(latest?.requests.at(-1)?.index, 1009)
  })

  Test.live("are closed to pages of other sites", function* () {
    const sandbox = yield* SandboxServer.make()
    const headers = { origin: "http://attacker.example" }
    assert.strictEqual((yield* follow(sandbox, { headers })).status, 403)
  })
})
