/**
 * Hostile input values, and a sandbox that records the requests it receives.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as Clients from "@manilla/service/Clients"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

export interface Sent {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The clients over a sandbox, and the requests they sent, except token requests. */
export const make = Effect.map(
  SandboxClient.make({ seed: 7, lenient: true }),
  ({ client, sandbox }) => {
    const sent: Array<Sent> = []
    const observed = HttpClient.make((request, url) =>
      Effect.suspend(() => {
        if (!url.href.startsWith(sandbox.authUrl)) {
          const body = request.body._tag === "Uint8Array" ? request.body.body : new Uint8Array()
          sent.push({
            method: request.method,
            url,
            headers: request.headers,
            body: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
          })
        }
        return client.execute(request)
      })
    )
    const layer = Clients.layer.pipe(
      Layer.provide(SandboxGateway.layer()),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, observed)),
      Layer.provideMerge(Layer.succeed(Sandbox.Sandbox, sandbox))
    )
    return { layer, sent, sandbox }
  }
)

/** The result of a call, including a synchronous throw. */
export type End =
  | { readonly _tag: "Success"; readonly value: unknown }
  | { readonly _tag: "Refused"; readonly fields: ReadonlyArray<string>; readonly message: string }
  | { readonly _tag: "Failed"; readonly error: unknown }
  | { readonly _tag: "Defect"; readonly words: string }

export const endOf = <E, R>(
  call: () => Effect.Effect<unknown, E, R>
): Effect.Effect<End, never, R> =>
  Effect.suspend(() => {
    let effect: Effect.Effect<unknown, E, R>
    try {
      effect = call()
    } catch (thrown) {
      return Effect.succeed<End>({
        _tag: "Defect",
        words: `threw synchronously: ${String(thrown)}`
      })
    }
    return Effect.map(Effect.exit(effect), (exit): End => {
      if (Exit.isSuccess(exit)) return { _tag: "Success", value: exit.value }
      const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
      if (error === undefined) return { _tag: "Defect", words: Cause.pretty(exit.cause) }
      if (isInvalidRequest(error)) {
        return {
          _tag: "Refused",
          fields: error.issues.map(({ field }) => field),
          message: error.message
        }
      }
      return { _tag: "Failed", error }
    })
  })

const isInvalidRequest = (
  error: unknown
): error is { readonly message: string; readonly issues: ReadonlyArray<{ field: string }> } =>
  typeof error === "object" &&
  error !== null &&
  "_tag" in error &&
  error._tag === "InvalidRequestError"

const million = 1024 * 1024

/** Well-typed strings with unusual content. */
export const texts: Readonly<Record<string, string>> = {
  empty: "",
  space: " ",
  proto: "__proto__",
  constructor: "constructor",
  "a lone high surrogate": "a\ud800b",
  "a lone low surrogate": "\udc00",
  "reversed surrogates": "\udc00\ud800",
  emoji: "👩‍👩‍👧‍👦",
  "not a character": "\uffff\ufffe",
  "byte order mark": "\ufeffx",
  "a new header": "x\r\nX-Injected: yes",
  "a new request": "x\r\n\r\nPOST /api/v1/payouts HTTP/1.1\r\nhost: x\r\n\r\n",
  "line feed": "a\nb",
  NUL: "a\u0000b",
  controls: "\u0001\u0008\u001b[31m\u007f\u0085",
  "line separators": "\u2028\u2029",
  "right to left": "\u202eabc",
  backslashes: `\\"\\u0000\\`,
  script: `</script><script>alert(1)</script>`,
  dots: "../../payouts",
  "escaped dots": "%2e%2e%2f",
  "query and fragment": "a?b=c&d#e;f",
  "latin 1": "\u00e9\u00ff",
  "a megabyte": "x".repeat(million),
  "a megabyte of emoji": "😀".repeat(million / 4),
  "a megabyte of surrogates": "\ud800".repeat(million / 4),
  "32 emoji": "😀".repeat(32),
  "almost too long": "y".repeat(32),
  "arabic digits": "٣٤٥",
  "big digits": "9".repeat(400),
  exponent: "1e5",
  "minus zero": "-0",
  hex: "0x10",
  "digits with a line break": "1500\n"
}

const cyclic = () => {
  const circle: Record<string, unknown> = {}
  circle["a"] = circle
  circle["b"] = [circle]
  return circle
}

/** Values that are not plain data. Each use makes a new one. */
export const things: Readonly<Record<string, () => unknown>> = {
  "a number beyond integers": () => 2 ** 53 + 2,
  "the largest number": () => Number.MAX_VALUE,
  "the smallest number": () => 5e-324,
  NaN: () => NaN,
  infinity: () => -Infinity,
  bigint: () => 10n ** 400n,
  symbol: () => Symbol("x"),
  function: () => () => "x",
  undefined: () => undefined,
  null: () => null,
  date: () => new Date(0),
  "an invalid date": () => new Date(NaN),
  map: () => new Map([["a", 1]]),
  set: () => new Set([1]),
  regexp: () => /x/,
  error: () => new Error("x"),
  bytes: () => new Uint8Array([1, 2]),
  "a boxed string": () => Object("x") as unknown,
  promise: () => Promise.resolve("x"),
  array: () => ["x"],
  "a nested proto": () =>
    JSON.parse(`{"__proto__":{"a":1},"constructor":{"prototype":1}}`) as unknown,
  "no prototype": () => Object.assign(Object.create(null) as object, { a: 1 }),
  "a prototype of data": () => Object.create({ a: 1 }) as unknown,
  cycle: cyclic,
  "too deep": () => JSON.parse("[".repeat(5000) + "]".repeat(5000)) as unknown,
  "a hundred thousand deep": () => JSON.parse("[".repeat(100_000) + "]".repeat(100_000)) as unknown,
  wide: () => Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i])),
  "a class": () =>
    new (class Money {
      amount = 1
    })(),
  "a proxy of an object": () => new Proxy({ a: 1 }, {}),
  "a proxy of an array": () => new Proxy([1, 2], {}),
  toString: () => ({ toString: () => "1500" }),
  toJSON: () => ({ toJSON: () => "1500" })
}

/** Values that run code or hide a member. */
export const tricks: Readonly<Record<string, () => unknown>> = {
  "minus zero": () => -0,
  "a getter that throws": () =>
    Object.defineProperty({}, "a", {
      enumerable: true,
      get: () => {
        throw new Error("gotcha")
      }
    }),
  "a getter": () => Object.defineProperty({}, "a", { enumerable: true, get: () => 1 }),
  "a proxy that throws": () =>
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("gotcha")
        }
      }
    ),
  "a proxy whose prototype throws": () =>
    new Proxy(
      {},
      {
        getPrototypeOf: () => {
          throw new Error("gotcha")
        }
      }
    ),
  "a revoked proxy": () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
  "a hidden toJSON": () =>
    Object.defineProperty({ a: 1 }, "toJSON", { enumerable: false, value: () => ({ b: 2 }) }),
  "an array with toJSON": () => Object.assign([1], { toJSON: () => "gotcha" }),
  "an array with a member": () => Object.assign([1], { extra: 2 }),
  "a sparse array": () => {
    const sparse: Array<number> = [1]
    sparse[2] = 3
    return sparse
  },
  "an array of a class": () => new (class Things extends Array<number> {})(1, 2),
  "an array of a class with toJSON": () =>
    new (class Things extends Array<number> {
      toJSON() {
        return "gotcha"
      }
    })(1, 2),
  "a symbol key": () => ({ a: 1, [Symbol("hidden")]: 2 }),
  "a hidden member": () => Object.defineProperty({ a: 1 }, "b", { enumerable: false, value: 2 })
}
