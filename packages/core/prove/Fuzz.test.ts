/**
 * Hostile responses over a real socket, generated and written by hand. Each call ends in time, within a
 * memory limit, with a documented error and the right outcome; errors contain no secret, and the client
 * still works afterwards.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import type * as Gateway from "@manilla/core/Gateway"
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as EventLoop from "@manilla/test-support/EventLoop"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Observed from "@manilla/test-support/Observed"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Socket } from "node:net"
import { inspect } from "node:util"
import { gzipSync } from "node:zlib"
import * as Clients from "../test/utils/Clients.js"
import * as HostileAnswers from "./utils/HostileAnswers.js"
import * as RawServer from "../test/utils/RawServer.js"

const { phone, tokenText: token } = FakeService
const seed = Number(process.env["FUZZ_SEED"] ?? 20_260_131)
const cases = Number(process.env["FUZZ_CASES"] ?? 300)

const deadlineMillis = 700
/** Shows what hangs, on any machine: the deadline itself is tested with TestClock. */
const slackMillis = 60_000
const mebibyte = 1024 * 1024

const escaped: Array<unknown> = []
const catcher = (error: unknown) => void escaped.push(error)
beforeAll(() => {
  process.on("uncaughtException", catcher)
  process.on("unhandledRejection", catcher)
})
afterAll(() => {
  process.off("uncaughtException", catcher)
  process.off("unhandledRejection", catcher)
})

const callsAt = (baseUrl: string, options: Partial<Gateway.Options> = {}) =>
  FakeService.callsAt(baseUrl, {
    bodyLimit: HostileAnswers.bodyLimit,
    retry: { attempts: 2, base: "1 milli", attemptTimeout: "250 millis", deadline: deadlineMillis },
    ...options
  })

const thing = (id: string) => JSON.stringify({ success: true, data: { id, status: "PENDING" } })

/** A call that must succeed with the response to its own request. */
const goesOn = (
  calls: Effect.Effect.Success<ReturnType<typeof callsAt>>,
  server: RawServer.RawServer
) =>
  Effect.gen(function* () {
    server.greet = () => {}
    server.answer = (socket, seen) => {
      const id = /\/things\/(\S+) HTTP/.exec(seen.line)?.[1] ?? "none"
      RawServer.play(socket, [RawServer.good(thing(id))])
    }
    for (const id of ["after-1", "after-2"]) {
      const given = yield* calls.read({ path: { thing: FakeService.reference(id) } })
      if (given.id !== id) return yield* Effect.fail(`asked for ${id} and was given ${given.id}`)
    }
  })

/** 4xx statuses that mean that the request was not applied. */
const refusals: ReadonlySet<number | undefined> = new Set([400, 401, 403, 404, 422, 429])
const isReadError = Schema.is(Errors.ReadError)
const isWriteError = Schema.is(Schema.Union(Errors.WriteError, Errors.KeyedWriteError))

/** The errors in the result of a call. */
const verdicts = (
  hostile: HostileAnswers.Hostile,
  exit: Exit.Exit<{ readonly id: string }, unknown>,
  requests: number
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const once = hostile.call === "writeOnce"
  const most = (once ? 1 : 2) + (hostile.status === 401 ? 1 : 0)
  if (requests > most) wrong.push(`sent ${requests} requests`)
  if (Exit.isSuccess(exit)) {
    const { id } = exit.value
    if (id !== hostile.good) wrong.push(`read ${id.slice(0, 40)}`)
    const { status } = hostile
    if (status === undefined || status < 200 || status > 299) wrong.push(`succeeded with ${status}`)
    return wrong
  }
  const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (Cause.isDie(exit.cause) || error === undefined) {
    return [...wrong, `a defect: ${Cause.pretty(exit.cause)}`]
  }
  const text = [
    String(error),
    inspect(error, { depth: null, maxStringLength: null }),
    JSON.stringify(error),
    Cause.pretty(exit.cause, { renderErrorCause: true })
  ].join("\n")
  // A read sends no phone number, so the client cannot redact one.
  const own = hostile.call === "read" ? [token] : [token, phone]
  for (const secret of own) {
    const traces = Observed.traces(secret, text)
    if (traces.length > 0) wrong.push(`shows ${traces.join(" ")}`)
  }
  for (const string of Observed.stringsIn(error)) {
    if (Observed.controls.test(string))
      wrong.push(`shows the control character in ${inspect(string)}`)
  }
  if (text.length > 200_000) wrong.push(`an error of ${text.length} characters`)
  if (hostile.call === "read") {
    if (!isReadError(error)) wrong.push(`failed with ${String(error)}`)
    return wrong
  }
  if (!isWriteError(error)) return [...wrong, `failed with ${String(error)}`]
  const outcome = Errors.outcome(error)
  const isRefused = refusals.has(hostile.status) && error._tag !== "TransportError"
  // A loaded machine may not connect in time: then nothing was sent.
  const isUnconnected =
    error._tag === "TransportError" && error.code === "NO_CONNECTION_IN_TIME" && requests === 0
  if (outcome === "notApplied" && !isRefused && !isUnconnected) {
    wrong.push(`said that nothing was applied: ${error._tag} ${error.message}`)
  }
  if (outcome === "applied" && !((hostile.status ?? 0) >= 200 && (hostile.status ?? 0) < 300)) {
    wrong.push(`said that it was applied, under ${hostile.status}`)
  }
  if (outcome === "unknown") {
    const key = hostile.call === "write" ? FakeService.key : undefined
    const found = "key" in error ? error.key : undefined
    if (found !== key) wrong.push(`the key is ${String(found)}`)
  }
  return wrong
}

type Failure = Errors.ReadError | Errors.WriteError | Errors.KeyedWriteError

type Calls = Effect.Effect.Success<ReturnType<typeof callsAt>>

const callOf = (
  calls: Calls,
  name: HostileAnswers.Hostile["call"]
): Effect.Effect<{ readonly id: string }, Failure> =>
  name === "read"
    ? calls.read(FakeService.calls.read)
    : name === "write"
      ? calls.write(FakeService.calls.write)
      : calls.writeOnce(FakeService.calls.writeOnce)

/** The result of a call as a comparable string. */
const endOf = (exit: Exit.Exit<unknown, Failure>): string => {
  if (Exit.isSuccess(exit)) return "Success"
  const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (error === undefined) return "Defect"
  return error._tag === "OutcomeUnknown" || error._tag === "UnkeyedOutcomeUnknown"
    ? `OutcomeUnknown: ${wordsOf(error.cause)}`
    : wordsOf(error)
}
const wordsOf = (error: Failure): string =>
  error._tag === "MalformedResponseError" ? `MalformedResponseError ${error.reason}` : error._tag

/** The time limit of an attempt whose response is immediate, on a loaded machine. */
const patientMillis = 20_000
const patient = {
  attempts: 2,
  base: "1 milli",
  attemptTimeout: patientMillis,
  deadline: 2 * patientMillis
} as const

interface Run {
  readonly retry?: Partial<RetryPolicy.RetryPolicy>
  readonly mostMillis: number
  /** Whether the client must still work afterwards. */
  readonly goesOn: boolean
}

const run = (hostile: HostileAnswers.Hostile, options: Run) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* RawServer.listen
      server.greet = (socket) => {
        // Each wait of a script adds a listener to the connection.
        socket.setMaxListeners(0)
        RawServer.play(socket, hostile.greeting)
      }
      server.always(...hostile.steps)
      const { retry } = options
      const calls = yield* callsAt(server.baseUrl, retry === undefined ? {} : { retry })
      const [took, exit] = yield* Effect.timed(Effect.exit(callOf(calls, hostile.call)))
      const tookMillis = Duration.toMillis(took)
      const wrong = [...verdicts(hostile, exit, server.seen.length)]
      if (tookMillis > options.mostMillis) wrong.push(`took ${tookMillis} ms`)
      if (options.goesOn) {
        const calls = yield* callsAt(server.baseUrl, { retry: patient })
        const after = yield* Effect.either(goesOn(calls, server))
        if (after._tag === "Left") wrong.push(`afterwards: ${String(after.left)}`)
      }
      return { wrong, tookMillis, ended: endOf(exit) }
    })
  )

/** Runs an effect, and returns by how many bytes the process grew meanwhile. */
const peakOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const before = process.memoryUsage()
      const peak = { rss: 0, arrayBuffers: 0 }
      const sample = () => {
        const now = process.memoryUsage()
        peak.rss = Math.max(peak.rss, now.rss - before.rss)
        peak.arrayBuffers = Math.max(peak.arrayBuffers, now.arrayBuffers - before.arrayBuffers)
      }
      return { peak, timer: setInterval(sample, 2) }
    }),
    ({ peak }) => Effect.map(effect, (a) => [peak, a] as const),
    ({ timer }) => Effect.sync(() => clearInterval(timer))
  )

/**
 * Writes the same piece endlessly, as fast as it is read. Stops at a maximum, to protect the machine if
 * the test fails.
 */
const pour = (socket: Socket, piece: Buffer, most: number, poured: { bytes: number }): void => {
  if (socket.destroyed || poured.bytes >= most) return
  poured.bytes += piece.length
  if (socket.write(piece)) setImmediate(() => pour(socket, piece, most, poured))
  else socket.once("drain", () => pour(socket, piece, most, poured))
}

const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")])
const spaces = Buffer.alloc(64 * 1024, " ")
const packed = gzipSync(Buffer.alloc(mebibyte, " "))

interface Endless {
  readonly headers: ReadonlyArray<string>
  readonly piece: Buffer
  /** The maximum at which the server stops. */
  readonly most: number
  /** The server has written less than this when the client closes the connection. */
  readonly read: number | undefined
}

/** Endless responses; the limits are the defaults of the client. */
const endless: Readonly<Record<string, Endless>> = {
  "in chunks": {
    headers: ["transfer-encoding: chunked"],
    piece: chunk(spaces),
    most: 256 * mebibyte,
    read: 32 * mebibyte
  },
  "until the end of the connection": {
    headers: ["connection: close"],
    piece: spaces,
    most: 256 * mebibyte,
    read: 32 * mebibyte
  },
  "of a length that says so": {
    headers: ["content-length: 10000000000"],
    piece: spaces,
    most: 256 * mebibyte,
    read: 16 * mebibyte
  },
  // Each 1,000 bytes decompress to 1,000,000.
  "as a sequence of gzip members": {
    headers: ["transfer-encoding: chunked", "content-encoding: gzip"],
    piece: chunk(packed),
    most: 256 * packed.length,
    read: undefined
  }
}

/** Endless responses that arrive slowly. */
const drops = (drop: string) =>
  Array.from({ length: 400 }, () => [Buffer.from(drop), { wait: 10 }]).flat()
const slow = {
  "a body": { first: "HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n", drops: drops(" ") },
  "a body of chunks": {
    first: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
    drops: drops("1\r\n \r\n")
  },
  "the body of a refusal": {
    first: "HTTP/1.1 422 No\r\ncontent-length: 5000\r\n\r\n",
    drops: drops(" ")
  },
  "a header": { first: "HTTP/1.1 200 OK\r\nx-slow: ", drops: drops("x") },
  "a sequence of informational responses": { first: "", drops: drops("HTTP/1.1 103 Early\r\n\r\n") }
} as const

/**
 * Ends when the server has seen the end of every connection with a request. The client may open new idle
 * connections for the next requests.
 */
const letGo = (server: RawServer.RawServer) => server.until(() => server.used.size === 0)

/** Not `node:http`, which does not keep connections alive. */
const clients = Clients.names.filter((name) => name !== "node:http")

for (const name of clients) {
  const client = Clients.layers[name]
  const live = (title: string, test: Effect.Effect<void, unknown, HttpClient.HttpClient>) =>
    // Each call has its own time limit. A busy machine may need minutes for the thousands of them.
    it.live(title, () => Effect.provide(test, client), 600_000)

  describe(`over ${name}`, () => {
    for (const [title, answer] of Object.entries(endless)) {
      // Only fetch decompresses while it reads: for the others, the response has a few bytes.
      if (!Clients.isFetch(name) && title.includes("gzip")) continue
      live(
        `an endless response, ${title}, is aborted and needs no more memory than the limit`,
        Effect.scoped(
          Effect.gen(function* () {
            for (const call of ["read", "write", "writeOnce"] as const) {
              const server = yield* RawServer.listen
              const poured = { bytes: 0 }
              server.answer = (socket) => {
                socket.write(`HTTP/1.1 200 OK\r\n${answer.headers.join("\r\n")}\r\n\r\n`)
                pour(socket, answer.piece, answer.most, poured)
              }
              const calls = yield* callsAt(server.baseUrl, {
                bodyLimit: undefined,
                retry: { attempts: 3, attemptTimeout: "1 minute", deadline: "1 minute" }
              })
              const [peak, exit] = yield* peakOf(Effect.exit(callOf(calls, call)))
              assert.strictEqual(
                endOf(exit),
                `${call === "read" ? "" : "OutcomeUnknown: "}MalformedResponseError TooLarge`
              )
              assert.isBelow(peak.arrayBuffers, 64 * mebibyte, "the buffers of the process")
              assert.isBelow(peak.rss, 64 * mebibyte, "the whole process")
              assert.isBelow(poured.bytes, answer.read ?? Infinity, "what the server could write")
              yield* letGo(server)
              assert.strictEqual(server.seen.length, 1)
            }
          })
        )
      )
    }

    live(
      "each compressed body has the expected result",
      Effect.gen(function* () {
        for (const { end, hostile } of HostileAnswers.compressedReads(Clients.isFetch(name))) {
          // Less than an attempt that hangs, which a retry would hide.
          const limits = { retry: patient, mostMillis: patientMillis - 1, goesOn: false }
          const { ended, wrong } = yield* run(hostile, limits)
          assert.deepStrictEqual([ended, ...wrong], [end], hostile.recipe)
        }
        assert.deepStrictEqual(escaped, [])
      })
    )

    live(
      "a valid response that arrives slowly, but in time, is read",
      Effect.scoped(
        Effect.gen(function* () {
          const server = yield* RawServer.listen
          server.answer = (socket) => {
            socket.setMaxListeners(0)
            RawServer.play(socket, HostileAnswers.drip(RawServer.good(thing("slow")), 5, 5))
          }
          const calls = yield* callsAt(server.baseUrl, {
            retry: { attempts: 1, attemptTimeout: "1 minute" }
          })
          for (const call of ["read", "write", "writeOnce"] as const) {
            assert.strictEqual((yield* callOf(calls, call)).id, "slow")
          }
        })
      )
    )

    for (const [title, parts] of Object.entries(slow)) {
      live(
        `${title} that arrives too slowly ends the call at its deadline`,
        Effect.forEach(
          ["read", "write", "writeOnce"] as const,
          (call) =>
            Effect.scoped(
              Effect.gen(function* () {
                const server = yield* RawServer.listen
                server.answer = (socket) => {
                  socket.setMaxListeners(0)
                  RawServer.play(socket, [Buffer.from(parts.first), ...parts.drops])
                }
                const calls = yield* callsAt(server.baseUrl, {
                  retry: {
                    attempts: 5,
                    base: "1 milli",
                    attemptTimeout: "250 millis",
                    deadline: deadlineMillis
                  }
                })
                const [took, exit] = yield* Effect.timed(Effect.exit(callOf(calls, call)))
                assert.strictEqual(
                  endOf(exit),
                  call === "read" ? "TimeoutError" : "OutcomeUnknown: TimeoutError"
                )
                assert.isBelow(Duration.toMillis(took), deadlineMillis + slackMillis)
                assert.isBelow(server.seen.length, call === "writeOnce" ? 2 : 4)
                yield* letGo(server)
              })
            ),
          { concurrency: "unbounded", discard: true }
        )
      )
    }

    live(
      `${cases} hostile responses end in time with a correct error`,
      Effect.gen(function* () {
        const drawn = FastCheck.sample(HostileAnswers.arbitrary, { numRuns: cases, seed })
        const ends: Record<string, number> = {}
        const wrong = yield* Effect.forEach(
          drawn,
          (hostile, index) =>
            Effect.map(
              run(hostile, { mostMillis: deadlineMillis + slackMillis, goesOn: true }),
              (result) => {
                ends[result.ended] = (ends[result.ended] ?? 0) + 1
                return result.wrong.map((what) => `#${index} ${what}\n    ${hostile.recipe}`)
              }
            ),
          { concurrency: 8 }
        )
        // An unhandled error of a call would appear in one of the next turns.
        yield* EventLoop.turns(10)
        assert.deepStrictEqual(wrong.flat(), [])
        assert.deepStrictEqual(escaped, [])
        assert.strictEqual(Reflect.get({}, "polluted"), undefined)
        // The generated responses must cover every kind of result.
        for (const end of [
          "Success",
          "OutcomeUnknown",
          "MalformedResponseError",
          "TransportError"
        ]) {
          assert.isTrue(
            Object.keys(ends).some((ended) => ended.startsWith(end)),
            end
          )
        }
      })
    )
  })
}
