/**
 * Money safety over a real socket, when responses are lost.
 */
import { Agent } from "@effect/platform-node/Undici"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Catalogue from "@manilla/catalogue/Catalogue"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Payments from "@manilla/payments/Payments"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import { phone } from "@manilla/test-support/Sandboxed"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"

/** A number of connections that two cores can handle. */
const client = Layer.scoped(
  HttpClient.HttpClient,
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Agent({ connections: 64 })),
      (agent) => Effect.promise(() => agent.destroy())
    ),
    UndiciClient.make
  )
)

// Over sockets, the pauses of the client and the settle time of the sandbox pass in real time.
const hasty = { base: "1 milli", cap: "20 millis" } as const

const live = (retry: SandboxGateway.Options["retry"] = hasty, options?: SandboxServer.Options) =>
  Layer.mergeAll(Payments.layer, Catalogue.layer).pipe(
    Layer.provide(SandboxGateway.layer({ retry })),
    Layer.provide(client),
    Layer.provideMerge(SandboxServer.layer({ settleAfter: "200 millis", ...options }))
  )

const otp = "Kd8-vTq2Rm"
const request = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  payment_method: "mtn_momo",
  payer: { phone_number: phone, otp_code: otp }
}
const key = IdempotencyKey.derive("order", "42")

const requestsOf = (operation: Fault.OperationName) =>
  Effect.flatMap(Sandbox.Sandbox, ({ exchanges }) =>
    Effect.map(exchanges, (all) => all.filter((exchange) => exchange.operation === operation))
  )

describe("over a socket", () => {
  it.live("three lost responses make one payment, with one key and identical requests", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      yield* sandbox.faults.add(Fault.dropAfter({ operation: "Payments.create", count: 3 }))
      const payments = yield* Payments.Payments
      const paid = yield* payments.collect(request, { key, wait: { initial: "50 millis" } })
      assert.strictEqual(paid.status, "COMPLETED")
      const creations = yield* requestsOf("Payments.create")
      assert.deepStrictEqual(
        creations.map(({ ending }) => ending),
        ["response lost", "response lost", "response lost", 201]
      )
      assert.deepStrictEqual(new Set(creations.map((creation) => creation.key)), new Set([key]))
      const bodies = creations.map(({ body }) => Buffer.from(Redacted.value(body)).toString("hex"))
      assert.strictEqual(new Set(bodies).size, 1)
      assert.strictEqual((yield* sandbox.paymentIntents).length, 1)
    }).pipe(Effect.provide(live()))
  )

  it.live("a response that never arrives leaves the outcome unknown, and the key resolves it", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      yield* sandbox.faults.add(Fault.dropAfter({ operation: "Payments.create", count: 5 }))
      const payments = yield* Payments.Payments
      const error = yield* Effect.flip(payments.collect(request, { key }))
      assert(error._tag === "OutcomeUnknown" && error.key !== undefined)
      assert.strictEqual((yield* sandbox.paymentIntents).length, 1)
      const paid = yield* payments.collect(request, {
        key: error.key,
        wait: { initial: "50 millis" }
      })
      assert.strictEqual(paid.status, "COMPLETED")
      assert.strictEqual((yield* sandbox.paymentIntents).length, 1)
    }).pipe(Effect.provide(live()))
  )

  it.live(
    "10,000 concurrent first calls make one token request",
    () =>
      Effect.gen(function* () {
        const catalogue = yield* Catalogue.Catalogue
        const all = yield* Effect.all(
          Array.from({ length: 10_000 }, () => catalogue.list()),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(all.length, 10_000)
        assert.strictEqual((yield* requestsOf("Token.obtain")).length, 1)
        // If the machine stalls for 5 seconds, the server closes connections as idle, and requests in
        // transit are retried.
        const requests = (yield* requestsOf("Catalogue.list")).length
        assert.isAtLeast(requests, 10_000)
        assert.isAtMost(requests, 10_000 + RetryPolicy.defaults.budget)
      }).pipe(Effect.provide(live({ attemptTimeout: "3 minutes" }, { exchangeCapacity: 20_000 }))),
    240_000
  )

  it.live("a token revoked during 1,000 calls is renewed once, and no call fails", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const payments = yield* Payments.Payments
      const catalogue = yield* Catalogue.Catalogue
      yield* catalogue.list()
      const answered = yield* Deferred.make<void>()
      const calls = yield* Effect.fork(
        Effect.forEach(
          Array.from({ length: 1000 }, (_, i) => IdempotencyKey.derive("order", String(i))),
          (each) =>
            Effect.zipLeft(
              payments.create({ ...request, operation: "COLLECTION" }, { key: each }),
              Deferred.succeed(answered, undefined)
            ),
          { concurrency: "unbounded" }
        )
      )
      yield* Deferred.await(answered)
      yield* sandbox.revokeTokens
      const created = yield* calls
      assert.strictEqual(new Set(created.map(({ id }) => id)).size, 1000)
      assert.strictEqual((yield* sandbox.paymentIntents).length, 1000)
      const creations = yield* requestsOf("Payments.create")
      assert.isAbove(creations.filter(({ ending }) => ending === 401).length, 0)
      assert.strictEqual((yield* requestsOf("Token.obtain")).length, 2)
    }).pipe(Effect.provide(live({ ...hasty, attemptTimeout: "1 minute" })))
  )
})

describe("secrets", () => {
  it.live("appear in no error, log or span, even if the service echoes them", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { client_secret } = yield* sandbox.credentials
      const secret = Redacted.value(client_secret)
      const shown: Array<string> = []
      const logger = Logger.make((entry) => {
        shown.push(inspect(entry, { depth: 20 }), Cause.pretty(entry.cause))
      })
      const tracer = Tracer.make({
        span: (name, parent, context, links, startTime, kind) => {
          const attributes = new Map<string, unknown>()
          const span: Tracer.Span = {
            _tag: "Span",
            name,
            spanId: "0000000000000001",
            traceId: "00000000000000000000000000000001",
            parent,
            context,
            links,
            sampled: true,
            kind,
            status: { _tag: "Started", startTime },
            attributes,
            attribute: (name, value) => shown.push(`${name}=${inspect(value, { depth: 20 })}`),
            event: (name, _, more) => shown.push(`${name} ${inspect(more, { depth: 20 })}`),
            addLinks: () => {},
            end: (_, exit) => shown.push(inspect(exit, { depth: 20 }))
          }
          shown.push(name)
          return span
        },
        context: (run) => run()
      })
      const echo = (...values: ReadonlyArray<string>) =>
        JSON.stringify({
          success: false,
          data: { error: { code: values[0], message: values.join(" "), details: { values } } },
          meta: { correlation_id: values.join("-") }
        })
      const html = `<html>${secret} ${phone} ${encodeURIComponent(otp)}</html>`
      yield* Effect.forEach(
        [
          Fault.status(403, { operation: "Token.obtain", body: echo(secret) }),
          Fault.status(422, { operation: "Payments.create", body: echo(phone, otp) }),
          Fault.status(502, {
            operation: "Payments.create",
            body: html,
            content_type: "text/html"
          }),
          Fault.body(html, { operation: "Payments.create", content_type: "text/html" })
        ],
        sandbox.faults.add
      )
      const payments = yield* Payments.Payments
      const attempt = Effect.flip(payments.collect(request, { key })).pipe(
        Effect.tap((error) => Effect.logError("failed", error, Cause.fail(error)))
      )
      const errors = yield* Effect.all([attempt, attempt, attempt]).pipe(
        Effect.withTracer(tracer),
        Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
        Logger.withMinimumLogLevel(LogLevel.All)
      )
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        ["TokenUnavailableError", "UnprocessableError", "OutcomeUnknown"]
      )
      for (const error of errors) {
        shown.push(String(error), inspect(error, { depth: 20 }), JSON.stringify(error))
        shown.push(error.stack ?? "", Cause.pretty(Cause.fail(error)))
      }
      const all = shown.join("\n")
      assert.include(all, "Payments.create")
      for (const canary of [secret, phone, otp]) {
        for (const form of [
          canary,
          JSON.stringify(canary).slice(1, -1),
          encodeURIComponent(canary),
          Buffer.from(canary).toString("base64").replace(/=+$/, "")
        ]) {
          assert.notInclude(all, form)
        }
      }
    }).pipe(Effect.provide(live({ ...hasty, attempts: 2 })))
  )
})
