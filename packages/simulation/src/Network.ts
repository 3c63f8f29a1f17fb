/**
 * The network between the client and the service: late, lossy, doubling, and at times a liar. It
 * writes down every request, and what the service said to it, whether or not the client heard.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Chance } from "./Chance.js"
import type { Time } from "./Time.js"
import type { Trace } from "./Trace.js"

/** The call of a caller that a fiber works for, as a name: who sent a request. */
export const currentCall: FiberRef.FiberRef<string> = FiberRef.unsafeMake("")

/** A request as it was seen on the wire. */
export interface Sent {
  readonly number: number
  /** The client process that sent it. */
  readonly process: number
  readonly call: string
  /** One for all attempts of one operation. */
  readonly span: string
  readonly method: string
  /** Below the version segment. */
  readonly path: string
  readonly key: string | undefined
  readonly body: string
  readonly authorization: string | undefined
  readonly atMillis: number
  /** Where its opening and its end stand among all of the run. */
  readonly opened: number
  closed: number
  closedMillis: number
  /** What the service answered to it and to its copies. */
  readonly answered: Array<number>
  /** How it ended for the client: a status, a broken connection, or not at all. */
  heard: number | "refused" | "broken" | "given up" | undefined
  /** `Retry-After` of what the client heard. */
  retryAfterMillis: number | undefined
  /** What the client could read of a success: its data, if the answer is an envelope. */
  data: unknown
}

export interface Network {
  /** The network as one process of the client sees it. */
  readonly clientOf: (process: number) => HttpClient.HttpClient
  /** From now on anything can become of a request. */
  readonly trouble: () => void
  /** From now on every request arrives, and so does its answer: so it is at first. */
  readonly calm: () => void
  /** For a time the service, or what stands before it, refuses every request. */
  readonly storm: () => void
  /** Requests and copies of requests that are still on their way. */
  readonly inFlight: () => number
  /** Exchanges that a client has open. */
  readonly open: () => number
  readonly sent: ReadonlyArray<Sent>
}

/**
 * What can become of a request, and how likely it is.
 *
 * What no client can see through stays out. A network that delivers a copy of a request *after* the
 * first was refused: the client is told "not applied" in good faith, and the copy is applied. A
 * network that copies a request without a key: two links, whatever the client does. A refusal (400,
 * 401, 403, 404, 422, 429) for what was processed: the interface means by it that it was not. An
 * answer to another request under a 2xx.
 */
const fates = {
  delivered: 52,
  "refused connection": 6,
  "request lost, connection reset": 5,
  "request lost in silence": 3,
  "answer lost, connection reset": 8,
  "answer lost in silence": 4,
  "request arrives after its connection broke": 4,
  "request arrives twice": 4,
  "answer cut short": 3,
  "answer replaced by HTML": 2,
  "answer emptied": 1,
  "answer without its status": 2,
  "answer that contradicts itself": 1,
  "answer that is no text": 1,
  "success under an error status": 2,
  "refusal under 200": 2,
  "409 after processing": 2,
  "408 after processing": 1,
  "302 after processing": 1,
  "500 after processing": 1,
  "502 after processing": 2,
  "409 from a proxy": 2,
  "401 from a proxy": 1,
  "429 from a proxy": 2,
  "503 from a proxy": 3,
  "stale answer": 3
}
type Fate = keyof typeof fates

/** Whether the service may have processed the request, and the client does not hear of it. */
const isHidden = (fate: Fate): boolean => /after processing|answer lost|arrives after/.test(fate)

interface Answer {
  readonly status: number
  readonly body: string | Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

export const make = (
  inner: HttpClient.HttpClient,
  chance: Chance,
  time: Time,
  trace: Trace
): Network => {
  let calm = true
  let inFlight = 0
  let open = 0
  let moment = 0
  let storming: { readonly status: 401 | 429 | 503; readonly untilMillis: number } | undefined
  const sent: Array<Sent> = []
  const answers = new Map<string, Answer>()

  const travel = Effect.suspend(() => Effect.sleep(chance.between(1, 150)))
  const late = Effect.suspend(() => Effect.sleep(chance.between(200, 90_000)))

  /** The service's answer, whole. */
  const deliver = (
    request: HttpClientRequest.HttpClientRequest,
    note: Sent
  ): Effect.Effect<Answer> =>
    Effect.gen(function* () {
      const response = yield* inner.execute(request)
      const answer = {
        status: response.status,
        body: yield* response.text,
        headers: { ...response.headers }
      }
      note.answered.push(response.status)
      if (request.method === "GET" && response.status === 200) answers.set(request.url, answer)
      return answer
    }).pipe(
      Effect.orDie,
      // Begun is done: what reached the service is not taken back by a caller who went away.
      Effect.uninterruptible
    )

  /** A request, or a copy of one, that nobody waits for any more. */
  const deliverUnseen = (request: HttpClientRequest.HttpClientRequest, note: Sent) =>
    Effect.suspend(() => {
      inFlight++
      return late.pipe(
        Effect.zipRight(deliver(request, note)),
        Effect.tap(({ status }) =>
          Effect.sync(() =>
            trace.write("network", `#${note.number} arrives late: ${status}, unseen`)
          )
        ),
        Effect.ensuring(Effect.sync(() => inFlight--)),
        Effect.interruptible,
        Effect.forkDaemon
      )
    })

  const storm = (): void => {
    storming = {
      status: chance.pick([401, 429, 503]),
      untilMillis: time.elapsedMillis() + chance.between(500, 40_000)
    }
  }

  const fateOf = (note: Sent): Fate => {
    if (calm) return "delivered"
    if (storming !== undefined && time.elapsedMillis() < storming.untilMillis) {
      // Whoever refuses good tokens is not who gives them out.
      if (storming.status !== 401 || !isForToken(note)) return `${storming.status} from a proxy`
    }
    const fate = chance.weighted(fates)
    // A service that loses its own answers is often about to refuse everything.
    if (isHidden(fate) && chance.often(0.25)) storm()
    return fate
  }

  const exchange = (request: HttpClientRequest.HttpClientRequest, note: Sent) =>
    Effect.gen(function* () {
      const fate = fateOf(note)
      trace.write("network", () => `#${note.number} ${describe(note)}: ${fate}`)
      if (fate === "refused connection") {
        note.heard = "refused"
        return yield* broken(request, "ECONNREFUSED")
      }
      // Given up on its way, a request arrives all the same, or it does not.
      yield* Effect.onInterrupt(travel, () =>
        !calm && chance.often(0.5) ? deliverUnseen(request, note) : Effect.void
      )

      /** What reaches the client of the service's answer. */
      const answered = (change: (answer: Answer) => Answer = (same) => same) =>
        Effect.gen(function* () {
          const answer = yield* deliver(request, note)
          yield* travel
          return toResponse(request, change(answer), note)
        })
      const instead = (status: number) => answered(() => fromProxy(status, chance))
      const reset = broken(request, "ECONNRESET")

      switch (fate) {
        case "delivered":
          return yield* answered()
        case "request lost, connection reset":
          return yield* reset
        case "request lost in silence":
          return yield* Effect.never
        case "answer lost, connection reset":
          return yield* Effect.zipRight(deliver(request, note), Effect.zipRight(travel, reset))
        case "answer lost in silence":
          return yield* Effect.zipRight(deliver(request, note), Effect.never)
        case "request arrives after its connection broke":
          return yield* Effect.zipRight(deliverUnseen(request, note), reset)
        case "request arrives twice": {
          const answer = yield* deliver(request, note)
          if (answer.status < 300 && mayBeCopied(note)) yield* deliverUnseen(request, note)
          yield* travel
          return toResponse(request, answer, note)
        }
        case "answer cut short":
          return yield* answered((answer) => ({
            ...answer,
            body: answer.body.slice(0, chance.between(0, answer.body.length - 1))
          }))
        case "answer replaced by HTML":
          return yield* answered((answer) => ({ ...answer, body: "<html>Bad gateway</html>" }))
        case "answer emptied":
          return yield* answered((answer) => ({ ...answer, body: "" }))
        case "answer that is no text":
          return yield* answered((answer) => ({
            ...answer,
            body: Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d)
          }))
        case "answer without its status":
          return yield* answered(withoutStatus)
        case "answer that contradicts itself":
          return yield* answered((answer) => ({
            ...answer,
            body: String(answer.body).replace(`"success":true`, `"success":false`)
          }))
        case "success under an error status":
          return yield* answered((answer) =>
            answer.status < 300
              ? { ...answer, status: chance.pick([400, 404, 422, 429, 500]) }
              : answer
          )
        case "refusal under 200":
          return yield* answered((answer) =>
            answer.status < 300 ? answer : { ...answer, status: 200 }
          )
        case "302 after processing":
          return yield* instead(302)
        case "408 after processing":
          return yield* instead(408)
        case "409 after processing":
          return yield* instead(409)
        case "500 after processing":
          return yield* instead(500)
        case "502 after processing":
          return yield* instead(502)
        case "409 from a proxy":
          return toResponse(request, fromProxy(409, chance), note)
        case "401 from a proxy":
          return toResponse(request, fromProxy(401, chance), note)
        case "429 from a proxy":
          return toResponse(request, fromProxy(429, chance), note)
        case "503 from a proxy":
          return toResponse(request, fromProxy(503, chance), note)
        case "stale answer":
          return yield* answered((answer) => answers.get(request.url) ?? answer)
      }
    })

  const clientOf = (process: number): HttpClient.HttpClient =>
    HttpClient.makeWith(
      (preprocessed: Effect.Effect<HttpClientRequest.HttpClientRequest>) =>
        Effect.flatMap(preprocessed, (request) =>
          Effect.flatMap(FiberRef.get(currentCall), (call) => {
            const note = noteOf(request, {
              call,
              number: sent.length + 1,
              process,
              opened: moment++,
              atMillis: time.elapsedMillis()
            })
            sent.push(note)
            open++
            return exchange(request, note).pipe(
              Effect.onExit((exit) =>
                Effect.sync(() => {
                  open--
                  note.closed = moment++
                  note.closedMillis = time.elapsedMillis()
                  if (Exit.isFailure(exit) && note.heard === undefined) {
                    note.heard = Exit.isInterrupted(exit) ? "given up" : "broken"
                  }
                })
              )
            )
          })
        ),
      Effect.succeed
    )

  return {
    clientOf,
    trouble: () => {
      calm = false
    },
    calm: () => {
      calm = true
    },
    storm,
    inFlight: () => inFlight,
    open: () => open,
    sent
  }
}

export const isWrite = ({ method, path }: Pick<Sent, "method" | "path">): boolean =>
  method === "POST" && !isForToken({ path })

export const isForToken = ({ path }: Pick<Sent, "path">): boolean => path.startsWith("/auth/")

/** Without a key, a copy is another order: see the fates. */
const mayBeCopied = (note: Sent): boolean => !isWrite(note) || note.key !== undefined

const noteOf = (
  { body, headers, method, url }: HttpClientRequest.HttpClientRequest,
  at: Pick<Sent, "atMillis" | "call" | "number" | "opened" | "process">
): Sent => {
  const text = body._tag === "Uint8Array" ? Buffer.from(body.body).toString() : ""
  return {
    ...at,
    span: headers["traceparent"]?.split("-")[2] ?? "",
    method,
    path: new URL(url).pathname.replace(/^\/api\/v1/, ""),
    key: headers["idempotency-key"] ?? /"idempotency_key":"([^"]*)"/.exec(text)?.[1],
    body: text,
    authorization: headers["authorization"],
    closed: Infinity,
    closedMillis: Infinity,
    answered: [],
    heard: undefined,
    retryAfterMillis: undefined,
    data: undefined
  }
}

const fromProxy = (status: number, chance: Chance): Answer => ({
  status,
  body: "<html>The proxy says no</html>",
  // Of a refused token nobody says when to come again.
  headers:
    status !== 401 && chance.often(0.5) ? { "retry-after": String(chance.between(0, 8)) } : {}
})

const withoutStatus = (answer: Answer): Answer =>
  answer.status < 300
    ? { ...answer, body: String(answer.body).replace(/"status":"[A-Z]+",?/, "") }
    : answer

const readSuccess = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ success: Schema.Literal(true), data: Schema.Unknown }))
)

/** Its status and its body are its own; all else comes from here, made once. */
const blank = HttpClientResponse.fromWeb(
  HttpClientRequest.get("https://sandbox.localhost"),
  new Response()
)

const toResponse = (
  request: HttpClientRequest.HttpClientRequest,
  { body, headers, status }: Answer,
  note: Sent
): HttpClientResponse.HttpClientResponse => {
  note.heard = status
  const seconds = headers["retry-after"]
  note.retryAfterMillis = seconds === undefined ? undefined : Number(seconds) * 1000
  if (status < 300) note.data = Option.getOrUndefined(readSuccess(body))?.data
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  return Object.create(blank, {
    request: { value: request },
    status: { value: status },
    headers: { value: headers },
    stream: { value: Stream.succeed(bytes) }
  })
}

const broken = (request: HttpClientRequest.HttpClientRequest, code: string) =>
  Effect.fail(
    new HttpClientError.RequestError({
      request,
      reason: "Transport",
      cause: Object.assign(new Error(code), {
        code,
        syscall: code === "ECONNREFUSED" ? "connect" : "read"
      })
    })
  )

const describe = ({ call, key, method, path, process }: Sent): string =>
  `${call} p${process} ${method} ${path}${key === undefined ? "" : ` key=${key}`}`
