/**
 * Promises over the sandbox in process, in real time.
 */
import { assert, describe, it, vi } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Clients from "@manilla/service/Clients"
import * as Promises from "@manilla/promises/Promises"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as Sandboxed from "@manilla/test-support/Sandboxed"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { getEventListeners } from "node:events"

const { collection, key } = Sandboxed
const { operation: _, ...request } = collection

/** Makes the promises over a sandbox of their own, as a user does. */
const connect = async (changes: Partial<Promises.Options> & Sandbox.Options = {}) => {
  const { settleAfter = 0, ...options } = changes
  const { client, sandbox } = await Effect.runPromise(SandboxClient.make({ settleAfter }))
  const { client_id, client_secret } = await Effect.runPromise(sandbox.credentials)
  const manilla = await Promises.make({
    baseUrl: sandbox.baseUrl,
    authUrl: sandbox.authUrl,
    clientId: client_id,
    clientSecret: Redacted.value(client_secret),
    pageParameter: Sandbox.pageParameter,
    fetch: SandboxClient.toFetch(client),
    ...options
  })
  const add = (fault: Fault.Fault) => Effect.runPromise(sandbox.faults.add(fault))
  const payments = () => Effect.runPromise(sandbox.paymentIntents)
  const settle = (id: PaymentIntent.PaymentIntentId) =>
    Effect.runPromise(sandbox.settle({ resource: id }))
  const requests = () => Effect.runPromise(sandbox.exchanges)
  return { manilla, add, payments, requests, settle }
}

const succeeded = <A, E>(result: Promises.Result<A, E>): A =>
  result.ok ? result.value : assert.fail(String(result.error))

const failed = <A, E>(result: Promises.Result<A, E>): E =>
  result.ok ? assert.fail("it succeeded") : result.error

/** The reason of a rejection. */
const rejected = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it resolved"),
    (reason: unknown) => reason
  )

const readAll = async <A>(iterable: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const one of iterable) all.push(one)
  return all
}

const collectThrice = async (manilla: Promises.Promises) => {
  for (const order of ["1", "2", "3"]) {
    const key = IdempotencyKey.derive("order", order)
    succeeded(await manilla.payments.collect(request, { key }))
  }
}

describe("a call", () => {
  it("resolves to its value, and a key makes one payment", async () => {
    const { manilla, payments } = await connect()
    const payment = succeeded(await manilla.payments.collect(request, { key }))
    assert.strictEqual(payment.status, "COMPLETED")
    const again = succeeded(await manilla.payments.collect(request, { key }))
    assert.strictEqual(again.id, payment.id)
    assert.lengthOf(await payments(), 1)
    await manilla.close()
  })

  it("resolves to its error", async () => {
    const { add, manilla, requests } = await connect()
    const invalid = failed(await manilla.payments.collect({ ...request, amount: "x" }, { key }))
    assert.strictEqual(invalid._tag, "InvalidRequestError")
    assert.isEmpty(await requests())
    await add(Fault.dropAfter({ operation: "Payments.create" }))
    const options = { key, retry: { attempts: 1 } }
    const unknown = failed(await manilla.payments.collect(request, options))
    if (unknown._tag !== "OutcomeUnknown") assert.fail(unknown._tag)
    assert.strictEqual(unknown.key, key)
    await manilla.close()
  })

  it("exists for each method of each service", async () => {
    const { manilla } = await connect()
    const services = await Effect.runPromise(
      Effect.provide(Effect.all(Clients.tags), Sandboxed.layer())
    )
    const { close: _, ...calls } = manilla
    const names = (services: Iterable<object>) =>
      Array.from(services, (service) => Object.keys(service).sort().join()).sort()
    assert.deepStrictEqual(names(Object.values(calls)), names(Object.values(services)))
    await manilla.close()
  })

  it("rejects with the reason of its signal, and its key continues a write", async () => {
    const { add, manilla, payments } = await connect()
    await add(Fault.delay("10 minutes", { operation: "Payments.create" }))
    const controller = new AbortController()
    const { signal } = controller
    const paying = manilla.payments.collect(request, { key, signal })
    await vi.waitUntil(async () => (await payments()).length === 1, { timeout: 60_000 })
    controller.abort(new Error("the buyer left"))
    assert.strictEqual(await rejected(paying), signal.reason)
    const payment = succeeded(await manilla.payments.collect(request, { key }))
    assert.deepStrictEqual(
      (await payments()).map(({ id }) => id),
      [payment.id]
    )
    await manilla.close()
  })

  it("sends nothing if its signal is aborted already", async () => {
    const { manilla, requests } = await connect()
    const signal = AbortSignal.abort(new Error("too late"))
    const paying = manilla.payments.collect(request, { key, signal })
    assert.strictEqual(await rejected(paying), signal.reason)
    assert.isEmpty(await requests())
    await manilla.close()
  })

  it("does not pass its signal on", async () => {
    const { manilla } = await connect()
    const since = await Effect.runPromise(DateTime.now)
    const options = { since, signal: new AbortController().signal }
    // It refuses options that it does not know.
    assert.isEmpty(succeeded(await manilla.paymentLinks.candidates(Sandboxed.link, options)))
    assert.isEmpty(
      succeeded(await manilla.paymentLinks.candidates(Sandboxed.link, { since, signal: undefined }))
    )
    await manilla.close()
  })
})

describe("for await", () => {
  it("reads all rows and all pages of a list", async () => {
    const { manilla } = await connect()
    await collectThrice(manilla)
    const rows = await readAll(manilla.transactions.stream({ per_page: 2 }))
    assert.lengthOf(rows.map(succeeded), 3)
    const pages = await readAll(manilla.transactions.pages({ per_page: 2 }))
    assert.lengthOf(pages.map(succeeded), 2)
    await manilla.close()
  })

  it("reads the next page after the last row of a page, and not after the first", async () => {
    const { manilla, requests } = await connect()
    for (let order = 1; order <= 5; order++) {
      const key = IdempotencyKey.derive("order", String(order))
      succeeded(await manilla.payments.collect(request, { key }))
    }
    const reads = async () =>
      (await requests()).filter(({ operation }) => operation === "Transactions.list").length
    for await (const row of manilla.transactions.stream({ per_page: 4 })) {
      succeeded(row)
      // A further page would be requested before this.
      succeeded(await manilla.catalogue.list())
      break
    }
    assert.strictEqual(await reads(), 1)
    await manilla.close()
  })

  it("ends after an error", async () => {
    const { manilla } = await connect({ pageParameter: undefined })
    await collectThrice(manilla)
    const rows = await readAll(manilla.transactions.stream({ per_page: 2 }))
    const ends = rows.map((row) => (row.ok ? "row" : row.error._tag))
    assert.deepStrictEqual(ends, ["row", "row", "PageParameterError"])
    await manilla.close()
  })

  it("sees each change", async () => {
    const { manilla, settle } = await connect({ settleAfter: "1 hour" })
    const { id } = succeeded(await manilla.payments.create(collection, { key }))
    const seen: Array<string> = []
    for await (const change of manilla.payments.changes(id, { initial: "100 millis" })) {
      const { status } = succeeded(change)
      seen.push(status)
      if (status === "PENDING") await settle(id)
    }
    assert.deepStrictEqual(seen, ["PENDING", "COMPLETED"])
    await manilla.close()
  })

  it("stops reading at a break, and when its signal is aborted", async () => {
    const { manilla, requests } = await connect({ settleAfter: "1 hour" })
    const { id } = succeeded(await manilla.payments.create(collection, { key }))
    const often = { initial: "100 millis", factor: 1 } as const
    for await (const change of manilla.payments.changes(id, often)) {
      assert.isTrue(change.ok)
      break
    }
    const controller = new AbortController()
    const { signal } = controller
    const reading = readAll(manilla.payments.changes(id, { ...often, signal }))
    const before = (await requests()).length
    await vi.waitUntil(async () => (await requests()).length > before + 1, { timeout: 60_000 })
    controller.abort(new Error("enough"))
    assert.strictEqual(await rejected(reading), signal.reason)
    const after = (await requests()).length
    await new Promise((resolve) => setTimeout(resolve, 250))
    assert.lengthOf(await requests(), after)
    const tooLate = manilla.payments.changes(id, { signal })
    assert.strictEqual(await rejected(readAll(tooLate)), signal.reason)
    await manilla.close()
  })
})

describe("an iterator that is used by hand", () => {
  it("answers each next, also two at once and those after the end", async () => {
    const { manilla } = await connect()
    await collectThrice(manilla)
    const rows = manilla.transactions.stream({ per_page: 2 })[Symbol.asyncIterator]()
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => rows.next()))
    const ends = results.map(({ done }) => done === true)
    assert.deepStrictEqual(ends, [false, false, false, true, true])
    assert.isTrue((await rows.next()).done)
    assert.isTrue((await rows.return?.())?.done)
    await manilla.close()
  })

  it("ends a next that waits when it is returned, and reads nothing more", async () => {
    const { manilla, requests } = await connect({ settleAfter: "1 hour" })
    const { id } = succeeded(await manilla.payments.create(collection, { key }))
    const often = { initial: "100 millis", factor: 1 } as const
    const changes = manilla.payments.changes(id, often)[Symbol.asyncIterator]()
    assert.isFalse((await changes.next()).done)
    const waiting = changes.next()
    assert.isTrue((await changes.return?.())?.done)
    assert.isTrue((await waiting).done)
    const after = (await requests()).length
    await new Promise((resolve) => setTimeout(resolve, 250))
    assert.lengthOf(await requests(), after)
    await manilla.close()
  })
})

describe("a signal", () => {
  it("may be shared by many calls, and ends them all", async () => {
    const { add, manilla } = await connect()
    await add(Fault.delay("10 minutes", { operation: "Payments.create" }))
    const controller = new AbortController()
    const { signal } = controller
    // No call hears it any more when these begin.
    succeeded(await manilla.catalogue.list({ signal }))
    const paying = Array.from({ length: 30 }, (_, order) =>
      manilla.payments.collect(request, { key: IdempotencyKey.derive("order", `${order}`), signal })
    )
    // Node 20 warns of a leak at the eleventh listener.
    assert.lengthOf(getEventListeners(signal, "abort"), 1)
    succeeded(await manilla.catalogue.list({ signal }))
    controller.abort(new Error("the buyer left"))
    for (const payment of paying) assert.strictEqual(await rejected(payment), signal.reason)
    assert.isEmpty(getEventListeners(signal, "abort"))
    await manilla.close()
  })

  it("keeps nothing of the calls that ended", async () => {
    const { manilla } = await connect()
    const { signal } = new AbortController()
    succeeded(await manilla.payments.collect(request, { key, signal }))
    failed(await manilla.payments.collect({ ...request, amount: "x" }, { key, signal }))
    await readAll(manilla.transactions.stream({}, { signal }))
    for await (const row of manilla.transactions.stream({}, { signal })) {
      succeeded(row)
      break
    }
    assert.isEmpty(getEventListeners(signal, "abort"))
    await manilla.close()
  })
})

describe("make and close", () => {
  it("names a wrong setting", async () => {
    const reason = await rejected(
      Promises.make({
        baseUrl: "http://api.example/api/v1",
        authUrl: "https://accounts.example/api/v1",
        clientId: "app_42",
        clientSecret: "secret"
      })
    )
    assert.instanceOf(reason, Errors.ConfigurationError)
    assert.include(reason.message, "baseUrl")
  })

  it("reads the environment, and names all missing variables and the options", async () => {
    const names = ["BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET"]
    for (const name of names) vi.stubEnv(`MANILLA_${name}`, undefined)
    for (const transport of [{}, { fetch }, { undici: await import("undici") }]) {
      const reason = await rejected(Promises.make(transport))
      assert.instanceOf(reason, Error)
      for (const name of names) assert.include(reason.message, `MANILLA_${name} is not set`)
      assert.notInclude(reason.message, "process context")
      for (const option of ["baseUrl", "authUrl", "clientId", "clientSecret"]) {
        assert.include(reason.message, option)
      }
    }
    for (const name of names) vi.stubEnv(`MANILLA_${name}`, "https://api.example/api/v1")
    vi.stubEnv("MANILLA_ENVIRONMENT", "live")
    const reason = await rejected(Promises.make())
    assert.instanceOf(reason, Error)
    assert.include(reason.message, "MANILLA_ENVIRONMENT must be SANDBOX or LIVE")
    vi.unstubAllEnvs()
  })

  it("takes no account of the environment if an option names another one", async () => {
    const set = { BASE_URL: "https://api.example/api/v1", AUTH_URL: "https://a.example/api/v1" }
    for (const [name, value] of Object.entries({ ...set, CLIENT_ID: "id", CLIENT_SECRET: "s" })) {
      vi.stubEnv(`MANILLA_${name}`, value)
    }
    const options: Omit<Required<Promises.Options>, "fetch" | "undici"> = {
      baseUrl: set.BASE_URL,
      authUrl: set.AUTH_URL,
      clientId: "app_42",
      clientSecret: "secret",
      environment: "SANDBOX",
      retry: {},
      pageParameter: "page",
      bodyLimit: 1000
    }
    for (const [name, value] of Object.entries(options)) {
      const some: object = { [name]: value }
      assert.instanceOf(await rejected(Promises.make(some)), Errors.ConfigurationError, name)
    }
    vi.unstubAllEnvs()
  })

  it("pays over the undici that a program hands over, and refuses another module", async () => {
    await Effect.gen(function* () {
      const { authUrl, baseUrl, credentials } = yield* SandboxServer.make({ settleAfter: 0 })
      const { client_id, client_secret } = yield* credentials
      const account = {
        baseUrl,
        authUrl,
        clientId: client_id,
        clientSecret: Redacted.value(client_secret)
      }
      const undici = yield* Effect.promise(() => import("undici"))
      yield* Effect.promise(async () => {
        const manilla = await Promises.make({ ...account, undici })
        const paid = succeeded(await manilla.payments.collect(request, { key }))
        assert.strictEqual(paid.status, "COMPLETED")
        await manilla.close()
        // undici 6 has other handlers.
        const { cacheStores: _, ...undici6 } = undici
        for (const other of [undici6, {}, fetch]) {
          const reason = await rejected(Promises.make({ ...account, undici: other }))
          assert.instanceOf(reason, Errors.ConfigurationError)
          assert.match(reason.message, /^undici must be the module undici 7/)
        }
      })
    }).pipe(Effect.scoped, Effect.runPromise)
  })

  it("retries token requests by the same policy as calls", async () => {
    const { add, manilla, requests } = await connect({ retry: { attempts: 1 } })
    await add(Fault.status(503, { operation: "Token.obtain" }))
    const refused = failed(await manilla.payments.collect(request, { key }))
    assert.strictEqual(refused._tag, "TokenUnavailableError")
    assert.lengthOf(await requests(), 1)
    await manilla.close()
  })

  it("sends nothing after close", async () => {
    const { manilla, requests } = await connect()
    await manilla.close()
    const refused = failed(await manilla.payments.collect(request, { key }))
    assert.strictEqual(refused._tag, "TokenUnavailableError")
    assert.isEmpty(await requests())
  })
})
