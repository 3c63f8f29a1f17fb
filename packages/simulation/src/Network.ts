/**
 * The network between the client and the service. It delays, loses, duplicates and corrupts messages.
 * It records every request and the service's responses, whether or not the client receives them.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ServerResponse from "./ServerResponse.js"
import type { Chance } from "./Chance.js"
import * as NetworkFaults from "./NetworkFaults.js"
import * as Sent from "./Sent.js"
import type { Time } from "@manilla/test-support/Time"
import type { Trace } from "./Trace.js"

/** The name of the call that the current fiber belongs to. */
export const currentCall: FiberRef.FiberRef<string> = FiberRef.unsafeMake("")

export interface Network {
  /** An `HttpClient` for one client process. */
  readonly clientOf: (process: number) => HttpClient.HttpClient
  /** Starts to inject faults. */
  readonly startFaults: () => void
  /** Stops injecting faults. The network starts in this state. */
  readonly heal: () => void
  /** A proxy rejects every request for a while. */
  readonly storm: () => void
  /** The number of requests and copies that will arrive although no client waits for them. */
  readonly inFlight: () => number
  /** The number of open connections. */
  readonly open: () => number
  /** Defects of the network itself. The client treats a defect as a transport failure. */
  readonly defects: ReadonlySet<string>
  readonly sent: ReadonlyArray<Sent.Sent>
}

export const make = (
  inner: HttpClient.HttpClient,
  chance: Chance,
  time: Time,
  trace: Trace
): Network => {
  let healthy = true
  let inFlight = 0
  let open = 0
  let moment = 0
  let storming:
    | {
        readonly status: (typeof NetworkFaults.stormStatuses)[number]
        readonly untilMillis: number
      }
    | undefined
  const defects = new Set<string>()
  const sent: Array<Sent.Sent> = []
  const responses = new Map<string, Array<ServerResponse.ServerResponse>>()
  const given: Array<{
    readonly note: Sent.Sent
    readonly response: ServerResponse.ServerResponse
  }> = []

  /** A response that the same process received to another request. */
  const mismatchedResponse = (note: Sent.Sent): ServerResponse.ServerResponse | undefined => {
    const [first, ...others] = given.filter(
      ({ response, note: other }) =>
        other.process === note.process && Sent.isDistinguishable(note, other, String(response.body))
    )
    return first === undefined ? undefined : chance.pick([first, ...others]).response
  }

  const travel = Effect.suspend(() => Effect.sleep(chance.between(1, 150)))
  const slowly = Effect.suspend(() => Effect.sleep(chance.between(300, 40_000)))
  const late = Effect.suspend(() => Effect.sleep(chance.between(200, 90_000)))

  const noteDefects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapDefect(effect, (cause) => Effect.sync(() => defects.add(Cause.pretty(cause))))

  /** Delivers the request and returns the service's complete response. */
  const deliver = (
    request: HttpClientRequest.HttpClientRequest,
    note: Sent.Sent
  ): Effect.Effect<ServerResponse.ServerResponse> =>
    Effect.gen(function* () {
      const httpResponse = yield* inner.execute(request)
      const response = {
        status: httpResponse.status,
        body: yield* httpResponse.text,
        headers: { ...httpResponse.headers }
      }
      note.answered.push(httpResponse.status)
      note.answeredMillis = Math.min(note.answeredMillis, time.elapsedMillis())
      if (request.method === "GET" && httpResponse.status === 200) {
        const earlier = responses.get(request.url)
        if (earlier === undefined) responses.set(request.url, [response])
        else earlier.push(response)
      }
      if (httpResponse.status < 300) given.push({ note, response })
      return response
    }).pipe(
      Effect.orDie,
      noteDefects,
      // A caller that disconnects does not cancel a request that reached the service.
      Effect.uninterruptible
    )

  /** Delivers a request, or a copy, late and without returning the response. */
  const deliverUnseen = (request: HttpClientRequest.HttpClientRequest, note: Sent.Sent) =>
    Effect.suspend(() => {
      inFlight++
      return late.pipe(
        Effect.zipRight(deliver(request, note)),
        Effect.tap(({ status }) =>
          Effect.sync(() =>
            trace.write("network", `#${note.number} arrives late: ${status}, response dropped`)
          )
        ),
        Effect.ensuring(Effect.sync(() => inFlight--)),
        Effect.interruptible,
        Effect.forkDaemon
      )
    })

  const storm = (): void => {
    storming = {
      status: chance.pick(NetworkFaults.stormStatuses),
      untilMillis: time.elapsedMillis() + chance.between(500, 40_000)
    }
  }

  /** Usually a few seconds, sometimes longer than any deadline; in seconds or as a date. */
  const retryAfter = (): Readonly<Record<string, string>> => {
    if (chance.often(0.5)) return {}
    const seconds = chance.often(0.1) ? chance.between(60, 900) : chance.between(0, 8)
    if (chance.often(0.75)) return { "retry-after": String(seconds) }
    const until = time.clock.unsafeCurrentTimeMillis() + seconds * 1000
    return { "retry-after": new Date(until).toUTCString() }
  }

  const fromProxy = (status: number): ServerResponse.ServerResponse => ({
    status,
    body: "<html>The proxy says no</html>",
    // A 401 carries no `Retry-After`.
    headers: status === 401 ? {} : retryAfter()
  })

  /** Records the response and passes it to the client: its status at once, its body in chunks. */
  const receive = (
    request: HttpClientRequest.HttpClientRequest,
    response: ServerResponse.ServerResponse,
    note: Sent.Sent,
    ending: ServerResponse.Ending = "whole"
  ): HttpClientResponse.HttpClientResponse => {
    const { body, headers, status } = response
    const header = headers["retry-after"]
    if (ending === "stalls") note.received = "aborted"
    // For an error, the status is enough.
    else note.received = ending === "breaks off" && status < 300 ? "broken" : status
    if (header !== undefined && ending !== "stalls") {
      note.retryAfterIsDate = header.endsWith("GMT")
      note.retryAfterMillis = note.retryAfterIsDate
        ? Math.max(0, Date.parse(header) - time.clock.unsafeCurrentTimeMillis())
        : Number(header) * 1000
    }
    if (ending === "whole") {
      const success = ServerResponse.readSuccess(body)
      note.bodySaysSuccess = Option.isSome(success)
      if (status < 300) note.data = Option.getOrUndefined(success)?.data
    }
    return ServerResponse.responseOf(request, response, ending, chance)
  }

  const faultOf = (note: Sent.Sent): NetworkFaults.NetworkFault => {
    if (healthy) return "delivered"
    if (storming !== undefined && time.elapsedMillis() < storming.untilMillis) {
      // A proxy that refuses valid tokens does not guard the token endpoint.
      if (storming.status !== 401 || !Sent.isForToken(note))
        return `${storming.status} from a proxy`
    }
    const fault = chance.weighted(NetworkFaults.weights)
    // A failing service often starts to reject every request.
    if (NetworkFaults.isHidden(fault) && chance.often(0.25)) storm()
    return fault
  }

  const exchange = (request: HttpClientRequest.HttpClientRequest, note: Sent.Sent) =>
    Effect.gen(function* () {
      const fault = faultOf(note)
      trace.write("network", () => `#${note.number} ${Sent.describe(note)}: ${fault}`)
      if (fault === "refused connection") {
        note.received = "refused"
        return yield* broken(request, "ECONNREFUSED")
      }
      // A request that is cancelled in transit may still arrive.
      yield* Effect.onInterrupt(fault === "slow request" ? slowly : travel, () =>
        !healthy && chance.often(0.5) ? deliverUnseen(request, note) : Effect.void
      )

      /** Delivers the request, and returns the response after `change`. */
      const answered = (
        change: (response: ServerResponse.ServerResponse) => ServerResponse.ServerResponse = (
          same
        ) => same,
        ending?: ServerResponse.Ending
      ) =>
        Effect.gen(function* () {
          const response = yield* deliver(request, note)
          yield* fault === "slow response" ? slowly : travel
          return receive(request, change(response), note, ending)
        })
      const reset = broken(request, "ECONNRESET")

      switch (fault) {
        case "delivered":
        case "slow request":
        case "slow response":
          return yield* answered()
        case "connection reset in body":
          return yield* answered((same) => same, "breaks off")
        case "body stalls":
          return yield* answered((same) => same, "stalls")
        case "request lost, connection reset":
          return yield* reset
        case "request lost, no reset":
          return yield* ServerResponse.silence
        case "response lost, connection reset":
          return yield* Effect.zipRight(deliver(request, note), Effect.zipRight(travel, reset))
        case "response lost, no reset":
          return yield* Effect.zipRight(deliver(request, note), ServerResponse.silence)
        case "request arrives after connection reset":
          return yield* Effect.zipRight(deliverUnseen(request, note), reset)
        case "request duplicated": {
          const response = yield* deliver(request, note)
          if (response.status < 300 && Sent.mayBeCopied(note)) yield* deliverUnseen(request, note)
          yield* travel
          return receive(request, response, note)
        }
        case "response truncated":
          return yield* answered((response) => ({
            ...response,
            body: response.body.slice(0, chance.between(0, response.body.length - 1))
          }))
        case "response replaced by HTML":
          return yield* answered((response) => ({ ...response, body: "<html>Bad gateway</html>" }))
        case "response emptied":
          return yield* answered((response) => ({ ...response, body: "" }))
        case "response is not UTF-8":
          return yield* answered((response) => ({
            ...response,
            body: Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d)
          }))
        case "response without a status member":
          return yield* answered(ServerResponse.withoutStatus)
        case "success:false under 2xx":
          return yield* answered((response) => ({
            ...response,
            body: String(response.body).replace(`"success":true`, `"success":false`)
          }))
        case "success body under an error status":
          return yield* answered((response) =>
            response.status < 300
              ? { ...response, status: chance.pick([400, 404, 422, 429, 500]) }
              : response
          )
        case "error body under 200":
          return yield* answered((response) =>
            response.status < 300 ? response : { ...response, status: 200 }
          )
        case "302 after processing":
        case "408 after processing":
        case "409 after processing":
        case "500 after processing":
        case "502 after processing":
        case "504 after processing":
          return yield* answered(() => fromProxy(NetworkFaults.statusOf(fault)))
        case "401 from a proxy":
        case "409 from a proxy":
        case "429 from a proxy":
        case "500 from a proxy":
        case "502 from a proxy":
        case "503 from a proxy":
        case "504 from a proxy":
          return receive(request, fromProxy(NetworkFaults.statusOf(fault)), note)
        case "404 from a stale replica":
          return yield* answered((response) =>
            Sent.readsOne(note)
              ? { ...ServerResponse.notFound, headers: response.headers }
              : response
          )
        case "response to another request":
          return yield* answered((response) => {
            const other = mismatchedResponse(note)
            note.mismatched = other !== undefined
            return other ?? response
          })
        case "stale response": {
          // Only responses that were given before this request.
          const [first, ...others] = responses.get(request.url) ?? []
          return yield* answered((response) =>
            first === undefined ? response : chance.pick([first, ...others])
          )
        }
      }
    })

  /** The connection is open until the body has ended or the scope is closed. */
  const begin = (
    request: HttpClientRequest.HttpClientRequest,
    process: number,
    scope: Scope.Scope
  ) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(FiberRef.get(currentCall), (call) => {
        const note = Sent.noteOf(request, {
          call,
          number: sent.length + 1,
          process,
          opened: moment++,
          atMillis: time.elapsedMillis()
        })
        sent.push(note)
        open++
        let isOpen = true
        const release = (exit: Exit.Exit<unknown, unknown>) =>
          Effect.sync(() => {
            if (!isOpen) return
            isOpen = false
            open--
            note.closed = moment++
            note.closedMillis = time.elapsedMillis()
            if (Exit.isInterrupted(exit)) {
              // A response that arrived in the same step was not read.
              note.received = "aborted"
              note.bodySaysSuccess = false
              note.data = undefined
              note.mismatched = false
              note.retryAfterMillis = undefined
            } else {
              note.received ??= "broken"
            }
          })
        return Effect.zipRight(
          Scope.addFinalizerExit(scope, release),
          Effect.map(
            restore(exchange(request, note)),
            (response): HttpClientResponse.HttpClientResponse =>
              Object.create(response, {
                stream: { value: Stream.ensuringWith(response.stream, release) },
                arrayBuffer: { value: Effect.onExit(response.arrayBuffer, release) }
              })
          )
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
              onNone: () => Effect.dieMessage("no scope will close this connection"),
              onSome: (scope) => begin(request, process, scope)
            })
          )
        ).pipe(noteDefects),
      Effect.succeed
    )

  return {
    clientOf,
    startFaults: () => {
      healthy = false
    },
    heal: () => {
      healthy = true
    },
    storm,
    inFlight: () => inFlight,
    open: () => open,
    defects,
    sent
  }
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
