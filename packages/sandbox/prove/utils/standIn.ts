/**
 * A minimal fake of the service, fast enough for thousands of concurrent callers.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Gateway from "@manilla/core/Gateway"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Payments from "@manilla/payments/Payments"
import * as Token from "@manilla/token/Token"
import { collection } from "@manilla/test-support/Sandboxed"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

const keyOf = (...parts: ReadonlyArray<string | number>) =>
  IdempotencyKey.derive("overload", ...parts.map(String))

interface Arrival {
  readonly operation: "Payments.create" | "Token.obtain"
  readonly key: string | undefined
  readonly atMillis: number
}

/** A fault of the fake service. */
export interface Trouble {
  readonly operation: Arrival["operation"]
  readonly status: number | "drop" | "silence"
  readonly retryAfter?: number
  readonly processed?: boolean
  readonly times?: number
}

const answer = (
  request: HttpClientRequest.HttpClientRequest,
  status: number,
  body: unknown,
  headers: Record<string, string> = {}
) =>
  Object.defineProperty(
    HttpClientResponse.fromWeb(request, new Response(null, { status, headers })),
    "stream",
    { value: Stream.succeed(new TextEncoder().encode(JSON.stringify(body))) }
  )

/** Makes a fake service that makes one payment per key. */
const makeService = () => {
  const arrivals: Array<Arrival> = []
  const made = new Map<string, unknown>()
  let trouble: Trouble | undefined
  let met = 0
  const client = HttpClient.make((request) =>
    Effect.flatMap(Clock.currentTimeMillis, (atMillis) => {
      const key = request.headers["idempotency-key"]
      const operation = key === undefined ? "Token.obtain" : "Payments.create"
      arrivals.push({ operation, key, atMillis })
      const now =
        trouble?.operation === operation && met++ < (trouble.times ?? Infinity)
          ? trouble
          : undefined
      if (key !== undefined && !made.has(key) && (now === undefined || now.processed === true)) {
        const id = `00000000-0000-4000-8000-${String(made.size).padStart(12, "0")}`
        made.set(key, { id, status: "PENDING", amount: "1500.0000", currency: "XOF" })
      }
      if (now?.status === "silence") return Effect.never
      if (now?.status === "drop") {
        const cause = Object.assign(new Error("reset"), { code: "ECONNRESET", syscall: "read" })
        return Effect.fail(
          new HttpClientError.RequestError({ request, reason: "Transport", cause })
        )
      }
      if (now !== undefined) {
        const retryAfter: Record<string, string> =
          now.retryAfter === undefined ? {} : { "retry-after": String(now.retryAfter) }
        const body = { success: false, data: { error: { code: "DOWN", message: "down" } } }
        return Effect.succeed(answer(request, now.status, body, retryAfter))
      }
      const token = {
        access_token: "t0ken-t0ken",
        expires_in: 36_000,
        token_type: "Bearer",
        environment: "SANDBOX",
        scope: ""
      }
      const data = key === undefined ? token : made.get(key)
      return Effect.succeed(answer(request, 201, { success: true, data }))
    })
  )
  const moments = (operation: Arrival["operation"]) =>
    arrivals.filter((arrival) => arrival.operation === operation).map(({ atMillis }) => atMillis)
  return {
    client,
    made,
    moments,
    suffer: (next: Trouble | undefined) =>
      Effect.sync(() => {
        trouble = next
        met = 0
      })
  }
}

/** Runs a program on a virtual clock that can wake thousands of fibers at once. */
export const onVirtualClock = <A, E>(program: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const clock = new VirtualClock.VirtualClock(20)
    const fiber = yield* program.pipe(
      clock.provide,
      Effect.withRandom(Random.make("overload")),
      Logger.withMinimumLogLevel(LogLevel.None),
      Effect.fork
    )
    yield* clock.runUntil(fiber)
    return yield* Fiber.join(fiber)
  })

/** Runs a program with the real clients over the fake service. */
export const run = <A, E>(
  program: (service: ReturnType<typeof makeService>) => Effect.Effect<A, E, Payments.Payments>,
  retry: Partial<RetryPolicy.RetryPolicy> = {}
) =>
  Effect.suspend(() => {
    const service = makeService()
    const token = Token.layer({
      authUrl: "https://accounts.invalid/api/v1",
      clientId: "app",
      clientSecret: Redacted.make("s3cret-s3cret"),
      retry
    })
    const services = Payments.layer.pipe(
      Layer.provide(Gateway.layer({ baseUrl: "https://service.invalid/api/v1", retry })),
      Layer.provide(token),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, service.client))
    )
    return onVirtualClock(Effect.provide(program(service), services))
  })

export const once = (...parts: ReadonlyArray<string | number>) =>
  Effect.flatMap(Payments.Payments, (payments) =>
    Effect.either(payments.create(collection, { key: keyOf(...parts) }))
  )

/** The maximum number of moments in any window of this length. */
export const fullest = (moments: ReadonlyArray<number>, windowMillis: number): number => {
  const sorted = Array.from(moments).sort((a, b) => a - b)
  let most = 0
  let first = 0
  for (const [last, moment] of sorted.entries()) {
    while (moment - (sorted[first] ?? 0) >= windowMillis) first++
    most = Math.max(most, last - first + 1)
  }
  return most
}

export const callers = Array.from({ length: 1000 }, (_, i) => i)
export const all = { concurrency: "unbounded" } as const
