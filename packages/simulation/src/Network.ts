/**
 * The network between the client and the service: late, lossy, doubling, and at times a liar.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Chance } from "./Chance.js"
import type { Trace } from "./Trace.js"

export interface Network {
  readonly client: HttpClient.HttpClient
  /** From now on every request arrives, and so does its answer. */
  readonly calm: () => void
  /** Requests and copies of requests that are still on their way. */
  readonly inFlight: () => number
  readonly requests: () => number
}

/** What can become of a request, and how likely it is. */
const fates = {
  delivered: 52,
  "refused connection": 6,
  "request lost, connection reset": 5,
  "request lost in silence": 2,
  "answer lost, connection reset": 9,
  "answer lost in silence": 3,
  "request arrives after its connection broke": 4,
  "request arrives twice": 4,
  "answer cut short": 3,
  "answer replaced by HTML": 2,
  "answer without its status": 2,
  "answer that contradicts itself": 1,
  "429 from a proxy": 2,
  "503 from a proxy": 3,
  "502 after processing": 2,
  "stale answer": 3
}

export const make = (inner: HttpClient.HttpClient, chance: Chance, trace: Trace): Network => {
  let calm = false
  let requests = 0
  let inFlight = 0
  const answers = new Map<string, Answer>()

  const travel = Effect.suspend(() => Effect.sleep(chance.between(1, 150)))
  const late = Effect.suspend(() => Effect.sleep(chance.between(200, 90_000)))

  /** The service's answer, whole. */
  const deliver = (request: HttpClientRequest.HttpClientRequest): Effect.Effect<Answer> =>
    Effect.gen(function* () {
      const response = yield* inner.execute(request)
      const chunks = yield* Stream.runCollect(response.stream)
      const body = Buffer.concat(Chunk.toReadonlyArray(chunks)).toString()
      const answer = { status: response.status, body, headers: { ...response.headers } }
      if (request.method === "GET" && response.status === 200) answers.set(request.url, answer)
      return answer
    }).pipe(Effect.orDie)

  /** A copy that nobody waits for any more. */
  const deliverUnseen = (request: HttpClientRequest.HttpClientRequest, number: number) =>
    Effect.suspend(() => {
      inFlight++
      return late.pipe(
        Effect.zipRight(deliver(request)),
        Effect.tap(({ status }) =>
          Effect.sync(() => trace.write("network", `#${number} arrives late: ${status}, unseen`))
        ),
        Effect.ensuring(Effect.sync(() => inFlight--)),
        Effect.forkDaemon
      )
    })

  const client = HttpClient.make((request) =>
    Effect.gen(function* () {
      const number = ++requests
      const fate = calm ? "delivered" : chance.weighted(fates)
      trace.write("network", `#${number} ${describe(request)}: ${fate}`)
      if (fate === "refused connection") return yield* broken(request, "ECONNREFUSED")
      yield* travel

      /** What reaches the client of the service's answer. */
      const answered = (change: (answer: Answer) => Answer = (same) => same) =>
        Effect.gen(function* () {
          const answer = yield* deliver(request)
          yield* travel
          return toResponse(request, change(answer))
        })
      const reset = broken(request, "ECONNRESET")

      switch (fate) {
        case "delivered":
          return yield* answered()
        case "request lost, connection reset":
          return yield* reset
        case "request lost in silence":
          return yield* Effect.never
        case "answer lost, connection reset":
          return yield* Effect.zipRight(deliver(request), Effect.zipRight(travel, reset))
        case "answer lost in silence":
          return yield* Effect.zipRight(deliver(request), Effect.never)
        case "request arrives after its connection broke":
          return yield* Effect.zipRight(deliverUnseen(request, number), reset)
        case "request arrives twice":
          return yield* Effect.zipRight(deliverUnseen(request, number), answered())
        case "answer cut short":
          return yield* answered((answer) => ({
            ...answer,
            body: answer.body.slice(0, chance.between(0, answer.body.length - 1))
          }))
        case "answer replaced by HTML":
          return yield* answered((answer) => ({ ...answer, body: "<html>Bad gateway</html>" }))
        case "answer without its status":
          return yield* answered(withoutStatus)
        case "answer that contradicts itself":
          return yield* answered((answer) => ({
            ...answer,
            body: answer.body.replace(`"success":true`, `"success":false`)
          }))
        case "429 from a proxy":
          return toResponse(request, fromProxy(429, chance))
        case "503 from a proxy":
          return toResponse(request, fromProxy(503, chance))
        case "502 after processing":
          return yield* answered(() => fromProxy(502, chance))
        case "stale answer":
          return yield* answered((answer) => answers.get(request.url) ?? answer)
      }
    })
  )

  return {
    client,
    calm: () => {
      calm = true
    },
    inFlight: () => inFlight,
    requests: () => requests
  }
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const fromProxy = (status: number, chance: Chance): Answer => ({
  status,
  body: "<html>The proxy says no</html>",
  headers: chance.often(0.5) ? { "retry-after": String(chance.between(0, 5)) } : {}
})

const withoutStatus = (answer: Answer): Answer =>
  answer.status < 300 ? { ...answer, body: answer.body.replace(/"status":"[A-Z]+",?/, "") } : answer

const toResponse = (
  request: HttpClientRequest.HttpClientRequest,
  { body, headers, status }: Answer
): HttpClientResponse.HttpClientResponse => {
  const bytes = new TextEncoder().encode(body)
  return Object.defineProperty(
    HttpClientResponse.fromWeb(request, new Response(null, { status, headers })),
    "stream",
    { value: Stream.succeed(bytes) }
  )
}

const broken = (request: HttpClientRequest.HttpClientRequest, code: string) =>
  Effect.fail(
    new HttpClientError.RequestError({
      request,
      reason: "Transport",
      cause: Object.assign(new Error(code), { code })
    })
  )

const describe = ({ headers, method, url }: HttpClientRequest.HttpClientRequest): string => {
  const key = headers["idempotency-key"]
  const path = new URL(url).pathname.replace(/^\/api\/v1/, "")
  return `${method} ${path}${key === undefined ? "" : ` key=${key}`}`
}
