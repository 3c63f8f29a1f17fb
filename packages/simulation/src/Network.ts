/**
 * The network between the client and the service: late, lossy, doubling, and at times a liar. It
 * writes down every request, and what the service said to it, whether or not the client heard.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
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
  answered: Array<number>
  /** When the service first answered it. */
  answeredMillis: number
  /** How it ended for the client: a status, a broken connection, or not at all. */
  heard: number | "refused" | "broken" | "given up" | undefined
  /** Whether what the client heard says success, under whatever status. */
  saysSuccess: boolean
  /** `Retry-After` of what the client heard. */
  retryAfterMillis: number | undefined
  /** Then it was asked to wait until a moment, which is elsewhere once the clock is set. */
  retryAfterIsDate: boolean
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
  /** What died in here. The client takes it for a client that dies, and goes on. */
  readonly defects: ReadonlySet<string>
  readonly sent: ReadonlyArray<Sent>
}

/**
 * What can become of a request, and how likely it is.
 *
 * What no client can see through stays out. A network that delivers a copy of a request *after* the
 * first was refused: the client is told "not applied" in good faith, and the copy is applied. A
 * network that copies a request without a key: two links, whatever the client does. A refusal (400,
 * 401, 403, 404, 422, 429) for what was processed: the interface means by it that it was not. The
 * answer to another request that asked for the same: nothing in it tells that it is another's.
 */
const fates = {
  delivered: 52,
  "slow request": 2,
  "slow answer": 2,
  "refused connection": 6,
  "request lost, connection reset": 5,
  "request lost in silence": 3,
  "answer lost, connection reset": 8,
  "answer lost in silence": 4,
  "request arrives after its connection broke": 4,
  "request arrives twice": 4,
  "answer cut short": 3,
  "body breaks off": 2,
  "body stalls": 1,
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
  "504 after processing": 1,
  "409 from a proxy": 2,
  "401 from a proxy": 1,
  "429 from a proxy": 2,
  "500 from a proxy": 1,
  "502 from a proxy": 1,
  "503 from a proxy": 2,
  "504 from a proxy": 1,
  "stale answer": 3,
  "answer to another request": 2
}
type Fate = keyof typeof fates

/** Whether the service may have processed the request, and the client does not hear of it. */
const isHidden = (fate: Fate): boolean =>
  /after processing|answer lost|arrives after|body/.test(fate)

interface Answer {
  readonly status: number
  readonly body: string | Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** What becomes of a body whose status has arrived. */
type Ending = "whole" | "breaks off" | "stalls"

/** `Effect.never` keeps a timer of the real clock, and so the program, for as long as it is waited for. */
const silence = Effect.async<never>(() => {})

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
  let storming:
    { readonly status: (typeof stormStatuses)[number]; readonly untilMillis: number } | undefined
  const defects = new Set<string>()
  const sent: Array<Sent> = []
  const answers = new Map<string, Array<Answer>>()
  const written: Array<{ readonly note: Sent; readonly answer: Answer }> = []

  /** The answer to a write of the same kind, which asked for something else. */
  const answerToAnother = ({ body, path }: Sent): Answer | undefined =>
    written.find(({ note }) => note.path === path && asksForAnother(note.body, body))?.answer

  const travel = Effect.suspend(() => Effect.sleep(chance.between(1, 150)))
  const slowly = Effect.suspend(() => Effect.sleep(chance.between(300, 40_000)))
  const late = Effect.suspend(() => Effect.sleep(chance.between(200, 90_000)))

  const noteDefects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapDefect(effect, (cause) => Effect.sync(() => defects.add(Cause.pretty(cause))))

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
      note.answeredMillis = Math.min(note.answeredMillis, time.elapsedMillis())
      if (request.method === "GET" && response.status === 200) {
        const earlier = answers.get(request.url)
        if (earlier === undefined) answers.set(request.url, [answer])
        else earlier.push(answer)
      }
      if (isWrite(note) && response.status < 300) written.push({ note, answer })
      return answer
    }).pipe(
      Effect.orDie,
      noteDefects,
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
      status: chance.pick(stormStatuses),
      untilMillis: time.elapsedMillis() + chance.between(500, 40_000)
    }
  }

  /** Mostly for some seconds, at times for longer than any call has; in seconds, or as a date. */
  const retryAfter = (): Readonly<Record<string, string>> => {
    if (chance.often(0.5)) return {}
    const seconds = chance.often(0.1) ? chance.between(60, 900) : chance.between(0, 8)
    if (chance.often(0.75)) return { "retry-after": String(seconds) }
    const until = time.clock.unsafeCurrentTimeMillis() + seconds * 1000
    return { "retry-after": new Date(until).toUTCString() }
  }

  const fromProxy = (status: number): Answer => ({
    status,
    body: "<html>The proxy says no</html>",
    // Of a refused token nobody says when to come again.
    headers: status === 401 ? {} : retryAfter()
  })

  /** What the client hears of an answer: its status at once, and its body in pieces. */
  const hear = (
    request: HttpClientRequest.HttpClientRequest,
    { body, headers, status }: Answer,
    note: Sent,
    ending: Ending = "whole"
  ): HttpClientResponse.HttpClientResponse => {
    const bytes = typeof body === "string" ? encoder.encode(body) : body
    const header = headers["retry-after"]
    if (ending === "stalls") note.heard = "given up"
    // Of an error the status says enough.
    else note.heard = ending === "breaks off" && status < 300 ? "broken" : status
    if (header !== undefined && ending !== "stalls") {
      note.retryAfterIsDate = header.endsWith("GMT")
      note.retryAfterMillis = note.retryAfterIsDate
        ? Math.max(0, Date.parse(header) - time.clock.unsafeCurrentTimeMillis())
        : Number(header) * 1000
    }
    if (ending === "whole") {
      const success = readSuccess(body)
      note.saysSuccess = Option.isSome(success)
      if (status < 300) note.data = Option.getOrUndefined(success)?.data
    }
    const response: HttpClientResponse.HttpClientResponse = Object.create(blank, {
      request: { value: request },
      status: { value: status },
      headers: { value: headers },
      stream: { get: () => Stream.fromChannel(bodyOf()) }
    })
    const bodyOf = (): Body => {
      switch (ending) {
        case "whole":
          return inPieces(bytes, chance)
        case "breaks off":
          return Channel.zipRight(
            inPieces(bytes.subarray(0, bytes.length / 2), chance),
            Channel.fail(new HttpClientError.ResponseError({ request, response, reason: "Decode" }))
          )
        case "stalls":
          return Channel.zipRight(
            inPieces(bytes.subarray(0, bytes.length / 2), chance),
            Channel.fromEffect(silence)
          )
      }
    }
    return response
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
      yield* Effect.onInterrupt(fate === "slow request" ? slowly : travel, () =>
        !calm && chance.often(0.5) ? deliverUnseen(request, note) : Effect.void
      )

      /** What reaches the client of the service's answer. */
      const answered = (change: (answer: Answer) => Answer = (same) => same, ending?: Ending) =>
        Effect.gen(function* () {
          const answer = yield* deliver(request, note)
          yield* fate === "slow answer" ? slowly : travel
          return hear(request, change(answer), note, ending)
        })
      const reset = broken(request, "ECONNRESET")

      switch (fate) {
        case "delivered":
        case "slow request":
        case "slow answer":
          return yield* answered()
        case "body breaks off":
          return yield* answered((same) => same, "breaks off")
        case "body stalls":
          return yield* answered((same) => same, "stalls")
        case "request lost, connection reset":
          return yield* reset
        case "request lost in silence":
          return yield* silence
        case "answer lost, connection reset":
          return yield* Effect.zipRight(deliver(request, note), Effect.zipRight(travel, reset))
        case "answer lost in silence":
          return yield* Effect.zipRight(deliver(request, note), silence)
        case "request arrives after its connection broke":
          return yield* Effect.zipRight(deliverUnseen(request, note), reset)
        case "request arrives twice": {
          const answer = yield* deliver(request, note)
          if (answer.status < 300 && mayBeCopied(note)) yield* deliverUnseen(request, note)
          yield* travel
          return hear(request, answer, note)
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
        case "408 after processing":
        case "409 after processing":
        case "500 after processing":
        case "502 after processing":
        case "504 after processing":
          return yield* answered(() => fromProxy(statusOf(fate)))
        case "401 from a proxy":
        case "409 from a proxy":
        case "429 from a proxy":
        case "500 from a proxy":
        case "502 from a proxy":
        case "503 from a proxy":
        case "504 from a proxy":
          return hear(request, fromProxy(statusOf(fate)), note)
        case "answer to another request":
          return yield* answered((answer) => answerToAnother(note) ?? answer)
        case "stale answer": {
          // Those that were given before this one is asked for.
          const [first, ...others] = answers.get(request.url) ?? []
          return yield* answered((answer) =>
            first === undefined ? answer : chance.pick([first, ...others])
          )
        }
      }
    })

  /** Open until its scope ends: the body is a part of it. */
  const begin = (
    request: HttpClientRequest.HttpClientRequest,
    process: number,
    scope: Scope.Scope
  ) =>
    Effect.uninterruptibleMask((restore) =>
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
        const letGo = (exit: Exit.Exit<unknown, unknown>) =>
          Effect.sync(() => {
            open--
            note.closed = moment++
            note.closedMillis = time.elapsedMillis()
            if (Exit.isInterrupted(exit)) {
              // An answer that came in that very moment was not read any more.
              note.heard = "given up"
              note.saysSuccess = false
              note.data = undefined
              note.retryAfterMillis = undefined
            } else {
              note.heard ??= "broken"
            }
          })
        return Effect.zipRight(
          Scope.addFinalizerExit(scope, letGo),
          restore(exchange(request, note))
        )
      })
    )

  const clientOf = (process: number): HttpClient.HttpClient =>
    HttpClient.makeWith(
      (preprocessed: Effect.Effect<HttpClientRequest.HttpClientRequest>) =>
        Effect.flatMap(preprocessed, (request) =>
          Effect.flatMap(
            Effect.serviceOption(Scope.Scope),
            Option.match({
              onNone: () => Effect.dieMessage("nothing will let this connection go"),
              onSome: (scope) => begin(request, process, scope)
            })
          )
        ).pipe(noteDefects),
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
    defects,
    sent
  }
}

export const isWrite = ({ method, path }: Pick<Sent, "method" | "path">): boolean =>
  method === "POST" && !isForToken({ path })

export const isForToken = ({ path }: Pick<Sent, "path">): boolean => path.startsWith("/auth/")

/** Whether two bodies differ in what their answers repeat. */
const asksForAnother = (one: string, other: string): boolean => {
  const said = (body: string) => /"(?:amount|idempotency_key)":"([^"]*)"/.exec(body)?.[1]
  return said(one) !== said(other)
}

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
    answeredMillis: Infinity,
    heard: undefined,
    saysSuccess: false,
    retryAfterMillis: undefined,
    retryAfterIsDate: false,
    data: undefined
  }
}

/** What a proxy answers to everything, while it lasts. */
const stormStatuses = [401, 429, 500, 502, 503, 504] as const

/** The status that a fate begins with. */
const statusOf = (fate: Fate): number => Number.parseInt(fate, 10)

/** A success that does not fit its schema, whatever it is about. */
const withoutStatus = (answer: Answer): Answer =>
  answer.status < 300
    ? {
        ...answer,
        body: JSON.stringify(JSON.parse(String(answer.body)), (name, value: unknown) =>
          name === "status" ? undefined : value
        )
      }
    : answer

const encoder = new TextEncoder()

type Body = Channel.Channel<
  Chunk.Chunk<Uint8Array>,
  unknown,
  HttpClientError.ResponseError,
  unknown,
  unknown,
  unknown
>

/** One to three pieces, cut wherever it happens: within a character, too. */
const inPieces = (bytes: Uint8Array, chance: Chance): Body => {
  const write = (from: number, to: number): Body =>
    Channel.write(Chunk.of(bytes.subarray(from, to)))
  const second = chance.between(0, bytes.length)
  const first = chance.between(0, second)
  switch (chance.between(1, 3)) {
    case 1:
      return write(0, bytes.length)
    case 2:
      return Channel.zipRight(write(0, first), write(first, bytes.length))
    default:
      return write(0, first).pipe(
        Channel.zipRight(write(first, second)),
        Channel.zipRight(write(second, bytes.length))
      )
  }
}

/** The id of what an answer is about, and its reference: of a card's, the card. */
export const namesIn = (data: unknown): ReadonlyArray<string> => {
  const about = Predicate.isRecord(data) && "card" in data ? data["card"] : data
  return Predicate.isRecord(about)
    ? [about["id"], about["reference"]].filter(Predicate.isString)
    : []
}

/** Heard to say that it did nothing. */
export const isRefusal = ({ heard, saysSuccess }: Sent): boolean =>
  heard === "refused" || (!saysSuccess && typeof heard === "number" && refusals.has(heard))

const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 422, 429])

/** Heard to say nothing that would stay so: what can be sent again may well succeed. */
export const isPassing = ({ data, heard, saysSuccess }: Sent): boolean => {
  if (typeof heard !== "number") return true
  if (heard < 300) return data === undefined
  return heard === 408 || heard === 429 || heard >= 500 || (heard >= 400 && saysSuccess)
}

const readSuccess = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ success: Schema.Literal(true), data: Schema.Unknown }))
)

/** Its status and its body are its own; all else comes from here, made once. */
const blank = HttpClientResponse.fromWeb(
  HttpClientRequest.get("https://sandbox.localhost"),
  new Response()
)

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
