/**
 * Generated hostile answers over a real socket: whatever comes back, a call ends in time with one
 * of the errors that are documented, tells the truth about what was applied, shows no secret, and
 * leaves a client that still works.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"
import * as FakeService from "./utils/FakeService.js"
import * as HostileAnswers from "./utils/HostileAnswers.js"
import * as Observed from "./utils/Observed.js"
import * as RawServer from "./utils/RawServer.js"

const token = "eyJhbGciOi.c2VjcmV0LXRva2Vu.Qm9keQ-2026"
const secrets = { token, phone: FakeService.phone }
const seed = Number(process.env["FUZZ_SEED"] ?? 20_260_131)
const cases = Number(process.env["FUZZ_CASES"] ?? 300)

const deadlineMillis = 700
/** What a busy machine may add. */
const slackMillis = 8000

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
  Effect.map(
    Gateway.make(
      {
        baseUrl,
        bodyLimit: HostileAnswers.bodyLimit,
        retry: {
          attempts: 2,
          base: "1 milli",
          attemptTimeout: "250 millis",
          deadline: deadlineMillis
        },
        ...options
      },
      {
        get: Effect.succeed({ value: Redacted.make(token), environment: "SANDBOX", scopes: [] }),
        reject: () => Effect.void
      }
    ),
    (gateway) => gateway.calls(FakeService.group)
  )

const thing = (id: string) => JSON.stringify({ success: true, data: { id, status: "PENDING" } })

/** A call that must succeed, with the answer to its very own request. */
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
      const { data } = yield* calls.read({ path: { thing: FakeService.reference(id) } })
      if (data.id !== id) return yield* Effect.fail(`asked for ${id} and was given ${data.id}`)
    }
  })

/** 4xx whose meaning is that the request was refused. */
const refusals: ReadonlySet<number | undefined> = new Set([400, 401, 403, 404, 422, 429])
const isReadError = Schema.is(Errors.ReadError)
const isWriteError = Schema.is(Errors.WriteError)
const ids = new Set(["hostile-1", "hostile-2", "hostile-\u0000", "\ud800", secrets.phone])

/** What is wrong with the end of a call. */
const verdicts = (
  hostile: HostileAnswers.Hostile,
  exit: Exit.Exit<{ readonly data: { readonly id: string } }, unknown>,
  tookMillis: number,
  requests: number
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  if (tookMillis > deadlineMillis + slackMillis) wrong.push(`took ${tookMillis} ms`)
  const once = hostile.call === "writeOnce"
  const most = (once ? 1 : 2) + (hostile.status === 401 ? 1 : 0)
  if (requests > most) wrong.push(`sent ${requests} requests`)
  if (Exit.isSuccess(exit)) {
    const { id } = exit.value.data
    if (id === "poison" || !(ids.has(id) || id.startsWith("xxx"))) wrong.push(`read ${id}`)
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
  // A read carries no phone number: one that comes back is news to the client.
  const own = hostile.call === "read" ? [secrets.token] : Object.values(secrets)
  for (const secret of own) {
    const traces = Observed.traces(secret, text)
    if (traces.length > 0) wrong.push(`shows ${traces.join(" ")}`)
  }
  if (text.length > 200_000) wrong.push(`an error of ${text.length} characters`)
  if (hostile.call === "read") {
    if (!isReadError(error)) wrong.push(`failed with ${String(error)}`)
    return wrong
  }
  if (!isWriteError(error)) return [...wrong, `failed with ${String(error)}`]
  const isKnown = error._tag !== "OutcomeUnknown" && error._tag !== "AppliedUnreadable"
  if (isKnown && (!refusals.has(hostile.status) || error._tag === "TransportFault")) {
    wrong.push(`said that nothing was applied: ${error._tag} ${error.message}`)
  }
  if (error._tag === "AppliedUnreadable" && !(error.status >= 200 && error.status < 300)) {
    wrong.push(`said that it was applied, under ${error.status}`)
  }
  if (error._tag === "OutcomeUnknown") {
    const key = hostile.call === "write" ? FakeService.key : undefined
    if (error.key !== key) wrong.push(`the key is ${String(error.key)}`)
  }
  return wrong
}

const run = (hostile: HostileAnswers.Hostile) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* RawServer.listen
      server.greet = (socket) => RawServer.play(socket, hostile.greeting)
      server.answer = (socket) => RawServer.play(socket, hostile.steps)
      const calls = yield* callsAt(server.baseUrl)
      const call: Effect.Effect<{ readonly data: { readonly id: string } }, unknown> =
        hostile.call === "read"
          ? calls.read(FakeService.calls.read)
          : hostile.call === "write"
            ? calls.write(FakeService.calls.write)
            : calls.writeOnce(FakeService.calls.writeOnce)
      const [took, exit] = yield* Effect.timed(Effect.exit(call))
      const wrong = verdicts(hostile, exit, Number(took) / 1e6 || 0, server.seen.length)
      const patient = yield* callsAt(server.baseUrl, {
        retry: {
          attempts: 2,
          base: "1 milli",
          attemptTimeout: "10 seconds",
          deadline: "15 seconds"
        }
      })
      const after = yield* Effect.either(goesOn(patient, server))
      return {
        wrong: after._tag === "Left" ? [...wrong, `afterwards: ${String(after.left)}`] : wrong,
        ended: Exit.isSuccess(exit)
          ? "Success"
          : String(
              Option.map(Cause.failureOption(exit.cause), (e) => (e as { _tag: string })._tag).pipe(
                Option.getOrElse(() => "Defect")
              )
            )
      }
    })
  )

const clients = [
  ["undici", NodeHttpClient.layerUndici],
  ["fetch", FetchHttpClient.layer]
] as const

for (const [name, client] of clients) {
  const live = (title: string, test: Effect.Effect<void, unknown, HttpClient.HttpClient>) =>
    it.live(title, () => Effect.provide(test, client), 30_000)

  describe(`over ${name}`, () => {
    live(
      `${cases} hostile answers each end in time with an error that is documented and true`,
      Effect.gen(function* () {
        const drawn = FastCheck.sample(HostileAnswers.arbitrary(secrets), { numRuns: cases, seed })
        const before = process.memoryUsage()
        const ends: Record<string, number> = {}
        const wrong = yield* Effect.forEach(
          drawn,
          (hostile, index) =>
            Effect.map(run(hostile), (result) => {
              ends[result.ended] = (ends[result.ended] ?? 0) + 1
              return result.wrong.map((what) => `#${index} ${what}\n    ${hostile.recipe}`)
            }),
          { concurrency: 12 }
        )
        const after = process.memoryUsage()
        yield* Effect.sleep("20 millis")
        if (process.env["FUZZ_VERBOSE"] !== undefined) {
          console.log(name, ends, (after.rss - before.rss) >> 20, "MiB", wrong.flat().join("\n"))
        }
        assert.deepStrictEqual(wrong.flat(), [])
        assert.deepStrictEqual(escaped, [])
        assert.isBelow(after.arrayBuffers - before.arrayBuffers, 64 * 1024 * 1024)
        assert.isBelow(after.heapUsed - before.heapUsed, 256 * 1024 * 1024)
        assert.strictEqual(Reflect.get({}, "polluted"), undefined)
        // The draw is worth something only if it reaches every kind of end.
        for (const tag of ["Success", "OutcomeUnknown", "MalformedResponse", "TransportFault"]) {
          assert.isAbove(ends[tag] ?? 0, 0, tag)
        }
      })
    )
  })
}

/** Keeps the import honest: the statuses above are those of the truth table. */
it("refusals are what the truth table calls not applied", () => {
  for (const fault of [
    "BadRequest",
    "Unauthorized",
    "Forbidden",
    "NotFound",
    "Unprocessable",
    "TooManyRequests"
  ] as const) {
    assert.strictEqual(RetryPolicy.table[fault].outcome, "not applied")
  }
})
