/**
 * Answers that no service should give, drawn at random: what a broken proxy, a broken service or
 * an enemy on the way could write to the socket.
 */
import type * as Errors from "@manilla/core/Errors"
import * as FakeService from "@manilla/test-support/FakeService"
import * as FastCheck from "effect/FastCheck"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import type { Step } from "../../test/utils/RawServer.js"

export interface Hostile {
  readonly call: "read" | "write" | "writeOnce"
  /** Written as soon as there is a connection. */
  readonly greeting: ReadonlyArray<Step>
  readonly steps: ReadonlyArray<Step>
  /** The status as whoever reads HTTP loosely could understand it. */
  readonly status: number | undefined
  /** The id that a success must have, if the body is one that may be read as a success at all. */
  readonly good: string | undefined
  /** The parts it is built from, to find the fault. */
  readonly recipe: string
}

/** The most bytes of a body that the client reads. */
export const bodyLimit = 64 * 1024

const fc = FastCheck

const envelope = (data: unknown) =>
  JSON.stringify({ success: true, data, meta: { correlation_id: "c-1" } })
const thing = (id: string) => envelope({ id, status: "PENDING" })
const failure = (message: string) =>
  JSON.stringify({
    success: false,
    data: { error: { code: "SOME_CODE", message, details: { message } } },
    meta: { correlation_id: "c-2" }
  })
const nested = (depth: number, open: string, close: string) =>
  open.repeat(depth) + "1" + close.repeat(depth)

/** A success with this id, a refusal in its envelope, or why neither can be read. */
export type Meaning = { readonly id: string } | "Refusal" | Errors.MalformedReason

const good = (id: string): Meaning => ({ id })

/** The bytes, what they mean, and what they mean to a read of `thing-1` if that is something else. */
type Body = readonly [bytes: Buffer | string, meaning: Meaning, toRead?: Meaning]

const { phone, tokenText: token } = FakeService

const bodies: Readonly<Record<string, Body>> = {
  good: [thing("hostile-1"), good("hostile-1")],
  "good, about another": [
    envelope({ id: "hostile-1", status: "PENDING", reference: "thing-2" }),
    good("hostile-1"),
    "AnotherSubject"
  ],
  "misfit of its own": [envelope({ id: 7, name: "a thing", reference: "thing-1" }), "DataMisfit"],
  "misfit of another": [envelope({ id: 7, name: "some" }), "AnotherSubject", "Unrelated"],
  "failure envelope": [failure("no"), "Refusal"],
  "echo of secrets": [failure(`${token} ${phone} Bearer ${encodeURIComponent(token)}`), "Refusal"],
  "echo in success": [
    envelope({ id: phone, reference: token, status: [token] }),
    "Unrelated",
    "AnotherSubject"
  ],
  "echo as html": [`<html>${token}\n${phone}</html>`, "NotJson"],
  "echo as keys": [
    `{"success":false,"data":{"error":{"code":"${phone}","message":"m","details":{"${token}":{"${phone}":1}}}},"meta":{"correlation_id":"${token}"}}`,
    "Refusal"
  ],
  "echo cut in two": [
    `{"success":true,"data":{"id":"${token.slice(0, token.length - 5)}`,
    "NotJson"
  ],
  empty: ["", "Empty"],
  spaces: [" \r\n\t ", "Empty"],
  html: ["<html><body>502 Bad Gateway</body></html>", "NotJson"],
  "deep arrays": [`{"success":true,"data":${nested(30_000, "[", "]")}}`, "Unrelated"],
  "deep objects": [`{"success":true,"data":${nested(10_000, `{"a":`, "}")}}`, "Unrelated"],
  "deep details": [
    `{"success":false,"data":{"error":{"code":"C","message":"m","details":${nested(30_000, "[", "]")}}}}`,
    "Refusal"
  ],
  "deep and never closed": ["[".repeat(60_000), "NotJson"],
  "big numbers": [`{"success":true,"data":{"id":1e400,"status":${"9".repeat(5000)}}}`, "Unrelated"],
  "big correlation": [
    `{"success":true,"data":{"id":"hostile-1","status":"PENDING"},"meta":{"correlation_id":${"9".repeat(400)}}}`,
    good("hostile-1")
  ],
  "duplicate keys": [
    `{"success":false,"success":true,"data":1,"data":{"id":"x","id":"hostile-1","status":"PENDING"}}`,
    good("hostile-1")
  ],
  proto: [
    `{"__proto__":{"success":true},"success":true,"data":{"__proto__":{"id":"p","status":"p"},"constructor":{"prototype":{"polluted":1}}}}`,
    "Unrelated"
  ],
  "proto only": [
    `{"__proto__":{"success":true,"data":{"id":"polluted","status":"p"}}}`,
    "NotAnEnvelope"
  ],
  "proto in details": [
    `{"success":false,"data":{"error":{"code":"C","message":"m","details":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}}}`,
    "Refusal"
  ],
  "lone surrogates": [
    `{"success":true,"data":{"id":"\\ud800","status":"\\udfff\\ud800"}}`,
    good("\ud800")
  ],
  "lone surrogates in a failure": [
    `{"success":false,"data":{"error":{"code":"\\ud800","message":"\\udfff","details":["\\ud800"]}},"meta":{"correlation_id":"\\udc00"}}`,
    "Refusal"
  ],
  "NUL bytes": [
    Buffer.from(`{"success":true,"data":{"id":"a\u0000b","status":"x"}}\u0000`),
    "NotJson"
  ],
  "NUL escapes": [
    `{"success":true,"data":{"id":"hostile-\\u0000","status":"PENDING"}}`,
    good("hostile-\u0000")
  ],
  "line breaks": [failure("first\r\nERROR second\u2028third\u001b[31mred"), "Refusal"],
  "good, then garbage": [thing("hostile-1") + "}{garbage", "NotJson"],
  "good twice": [thing("hostile-1") + thing("hostile-2"), "NotJson"],
  "cut short": [thing("hostile-1").slice(0, 40), "NotJson"],
  "not UTF-8": [Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0xa0, 0xff, 0xfe, 0x22, 0x7d]), "NotText"],
  "overlong UTF-8": [
    Buffer.concat([
      Buffer.from(`{"success":true,"data":"`),
      Buffer.from([0xc0, 0xaf]),
      Buffer.from(`"}`)
    ]),
    "NotText"
  ],
  "UTF-16": [Buffer.from(thing("hostile-1"), "utf16le"), "NotJson"],
  "byte order mark": [`\ufeff${thing("hostile-1")}`, good("hostile-1")],
  "to the cap": [
    envelope({ id: "x".repeat(bodyLimit - 90), status: "PENDING" }),
    good("x".repeat(bodyLimit - 90))
  ],
  "one byte over the cap": [thing("hostile-1").padEnd(bodyLimit + 1), "TooLarge"],
  "good, and spaces to the cap": [thing("hostile-1").padEnd(bodyLimit), good("hostile-1")],
  "over the cap": [envelope({ id: "x".repeat(bodyLimit), status: "PENDING" }), "TooLarge"],
  "far over the cap": [Buffer.alloc(1024 * 1024, "x"), "TooLarge"],
  array: ["[1,2,3]", "NotAnEnvelope"],
  "a string": [`"success"`, "NotAnEnvelope"],
  null: ["null", "NotAnEnvelope"],
  "success as text": [`{"success":"true","data":{"id":"a","status":"b"}}`, "NotAnEnvelope"],
  "success without data": [`{"success":true}`, "Unrelated"],
  "failure with odd members": [
    `{"success":false,"data":{"error":{"code":7,"message":["a"],"details":null}},"meta":7}`,
    "Refusal"
  ],
  "many members": [
    `{"success":false,"data":{"error":{"code":"C","message":"m","details":{${Array.from({ length: 4000 }, (_, i) => `"k${i}":${i}`).join(",")}}}}}`,
    "Refusal"
  ],
  gzip: [gzipSync(thing("hostile-1")), "NotText"],
  "gzip cut short": [gzipSync(thing("hostile-1")).subarray(0, 30), "NotText"],
  "gzip twice": [gzipSync(gzipSync(thing("hostile-1"))), "NotText"],
  "gzip bomb": [gzipSync(Buffer.alloc(2 * 1024 * 1024, " ")), "NotText"],
  "gzip with a wrong checksum": [
    Buffer.concat([gzipSync(thing("hostile-1")).subarray(0, -8), Buffer.alloc(8)]),
    "NotText"
  ],
  deflate: [deflateSync(thing("hostile-1")), "NotText"],
  brotli: [brotliCompressSync(thing("hostile-1")), "NotText"]
}

/** The expected result of compressed bodies: over `fetch`, which decompresses them, and over other clients. */
const compressed: Readonly<
  Record<string, readonly [encoding: string, overFetch: Meaning | "Broken", elsewhere: Meaning]>
> = {
  gzip: ["gzip", good("hostile-1"), good("hostile-1")],
  "gzip cut short": ["gzip", "Empty", "NotText"],
  // `fetch` keeps the header, so what is still compressed is decompressed again.
  "gzip twice": ["gzip", good("hostile-1"), "NotText"],
  "gzip bomb": ["gzip", "TooLarge", "TooLarge"],
  "gzip with a wrong checksum": ["gzip", "Broken", "NotText"],
  deflate: ["deflate", good("hostile-1"), good("hostile-1")],
  brotli: ["br", good("hostile-1"), good("hostile-1")]
}

const goodStatuses = [200, 201, 202, 400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503]
const oddStatuses = [
  100, 102, 103, 199, 203, 204, 205, 206, 226, 300, 301, 304, 307, 308, 402, 405, 407, 410, 413,
  418, 421, 425, 426, 431, 451, 499, 504, 511, 599, 600, 666, 799, 999
]

const statusLine = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(200, 201)
      .map((status) => ({ line: `HTTP/1.1 ${status} OK`, status }))
  },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(...goodStatuses)
      .map((status) => ({ line: `HTTP/1.1 ${status} Words`, status }))
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...oddStatuses)
      .map((status) => ({ line: `HTTP/1.1 ${status} Odd`, status }))
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      { line: "HTTP/1.0 200 OK", status: 200 },
      { line: "HTTP/1.1 200", status: 200 },
      { line: "HTTP/1.1 422", status: 422 },
      { line: "HTTP/1.1 200 \u00e9\u00ff", status: 200 },
      { line: `HTTP/1.1 200 ${"x".repeat(20_000)}`, status: 200 },
      { line: "HTTP/1.1 2OO OK", status: undefined },
      { line: "HTTP/1.1 -200 OK", status: undefined },
      { line: "HTTP/1.1 99 OK", status: undefined },
      { line: "HTTP/1.1 4220 OK", status: undefined },
      { line: "HTTP/1.1 000 OK", status: undefined },
      { line: "HTTP/9.9 422 OK", status: undefined },
      { line: "HTTP/2 422 OK", status: undefined },
      { line: "HTTP/0.9 200 OK", status: undefined },
      { line: "ICY 422 OK", status: undefined },
      { line: "http/1.1 422 ok", status: undefined },
      { line: "HTTP/1.1\t422\tOK", status: undefined },
      { line: "\u0000\u0000\u0000\u0000", status: undefined },
      { line: "", status: undefined },
      { line: "GET / HTTP/1.1", status: undefined },
      { line: "HTTP/1.1 404 Not Found\r\nHTTP/1.1 404 Not Found", status: undefined }
    )
  }
)

/** Every header that is hostile by itself; few of them at a time, lest the parser stop at the first. */
const hostileHeaders = [
  "content-type: application/json",
  "content-type: text/html; charset=utf-16",
  "content-type: \u00ff\u00fe",
  "retry-after: 99999999999999999999999999",
  `retry-after: ${"9".repeat(400)}`,
  "retry-after: -1",
  "retry-after: 0",
  "retry-after: Sat, 31 Feb 2026 99:99:99 GMT",
  "retry-after: 1, 2",
  "retry-after: 1e9",
  "x-long: " + "y".repeat(8000),
  "x-longer: " + "y".repeat(70_000),
  ...["a", "b"].map((value) => `x-twice: ${value}`),
  "__proto__: polluted",
  "__proto__: again",
  "constructor: polluted",
  "constructor: again",
  "toString: polluted",
  "tostring: polluted",
  "set-cookie: a=b; Expires=never; Max-Age=99999999999999999999",
  "set-cookie: =;;;=",
  "x-ctl: a\u0001b",
  "x-nul: a\u0000b",
  "x-latin: \u00e9",
  " folded: yes",
  "no colon at all",
  ": no name",
  "space in name: yes",
  "x-bare-cr: a\rb",
  "location: http://127.0.0.1:1/",
  "location: \u0000",
  "connection: close",
  "connection: keep-alive",
  "keep-alive: timeout=0",
  "keep-alive: timeout=-99999999999999999",
  "connection: upgrade",
  "upgrade: websocket",
  "trailer: x",
  "content-encoding: identity",
  "content-encoding: gzip",
  "content-encoding: gzip, gzip",
  "content-encoding: br",
  "content-encoding: deflate",
  `content-encoding: ${Array.from({ length: 40 }, () => "gzip").join(", ")}`,
  "content-encoding: zstd",
  "content-encoding: __proto__",
  "content-range: bytes 0-1/2",
  "www-authenticate: Basic realm=x",
  "proxy-authenticate: Basic",
  'alt-svc: h3=":1"'
]

const headers = fc.oneof(
  { weight: 3, arbitrary: fc.constant(["content-type: application/json"]) },
  { weight: 3, arbitrary: fc.constantFrom(...hostileHeaders).map((header) => [header]) },
  { weight: 1, arbitrary: fc.subarray(hostileHeaders, { maxLength: 5 }) },
  // Twice the same, where a parser joins them.
  { weight: 1, arbitrary: fc.constantFrom(...hostileHeaders).map((header) => [header, header]) }
)

type Framing = (body: Buffer) => { readonly headers: ReadonlyArray<string>; readonly body: Buffer }

const chunked = (body: Buffer, size: string, tail = "0\r\n\r\n") => ({
  headers: ["transfer-encoding: chunked"],
  body: Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from(`\r\n${tail}`)])
})
const lengths =
  (...values: ReadonlyArray<string | number>): Framing =>
  (body) => ({
    headers: values.map((value) => `content-length: ${value}`),
    body
  })

const framings: Readonly<Record<string, Framing>> = {
  exact: (body) => ({ headers: [`content-length: ${body.length}`], body }),
  "length too long": (body) => ({ headers: [`content-length: ${body.length + 7}`], body }),
  "length too short": (body) => ({
    headers: [`content-length: ${Math.max(0, body.length - 7)}`],
    body
  }),
  "length zero": lengths(0),
  "length below zero": lengths(-1),
  "length of words": lengths("many"),
  "length with a plus": lengths("+5"),
  "length in hex": lengths("0x10"),
  "length beyond numbers": lengths("9".repeat(40)),
  "length far over the cap": lengths(10_000_000_000),
  "two lengths": (body) => ({
    headers: [`content-length: ${body.length}`, "content-length: 3"],
    body
  }),
  "the same length twice": (body) => ({
    headers: [`content-length: ${body.length}`, `content-length: ${body.length}`],
    body
  }),
  "a list of lengths": (body) => ({
    headers: [`content-length: ${body.length}, ${body.length}`],
    body
  }),
  "no length": (body) => ({ headers: [], body }),
  chunked: (body) => chunked(body, body.length.toString(16)),
  "chunk size not hex": (body) => chunked(body, "zz"),
  "chunk size below zero": (body) => chunked(body, "-5"),
  "chunk size beyond numbers": (body) => chunked(body, "f".repeat(20)),
  "chunk size too long": (body) => chunked(body, (body.length + 9).toString(16)),
  "chunk size too short": (body) => chunked(body, Math.max(1, body.length - 3).toString(16)),
  "chunk with a long extension": (body) =>
    chunked(body, `${body.length.toString(16)};${"e".repeat(30_000)}`),
  "chunks without an end": (body) => chunked(body, body.length.toString(16), ""),
  "chunks with hostile trailers": (body) =>
    chunked(
      body,
      body.length.toString(16),
      "0\r\n__proto__: x\r\ncontent-length: 3\r\nconstructor: y\r\nconstructor: z\r\n\r\n"
    ),
  "chunked with a length": (body) => {
    const framed = chunked(body, body.length.toString(16))
    return { ...framed, headers: [...framed.headers, "content-length: 3"] }
  },
  "chunked twice": (body) => {
    const framed = chunked(body, body.length.toString(16))
    return { ...framed, headers: ["transfer-encoding: chunked, chunked"] }
  },
  "unknown transfer": (body) => ({ headers: ["transfer-encoding: gzip"], body })
}

const preludes: Readonly<Record<string, string>> = {
  continue: "HTTP/1.1 100 Continue\r\n\r\n",
  "early hints": "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n",
  "many early hints": "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(500),
  "empty lines": "\r\n\r\n\r\n",
  "switching protocols":
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
  garbage: "\u0016\u0003\u0001\u0002\u0000"
}

/** Every so many milliseconds a few bytes. */
export const drip = (bytes: Buffer, piece: number, wait: number): ReadonlyArray<Step> =>
  Array.from({ length: Math.ceil(bytes.length / piece) }, (_, i) => [
    bytes.subarray(i * piece, (i + 1) * piece),
    { wait }
  ]).flat()

/** How the bytes come: at once, in pieces, drop by drop, or not all of them. */
const pacings: Readonly<Record<string, (bytes: Buffer) => ReadonlyArray<Step>>> = {
  "at once": (bytes) => [bytes],
  "in two": (bytes) => [
    bytes.subarray(0, bytes.length >> 1),
    { wait: 3 },
    bytes.subarray(bytes.length >> 1)
  ],
  // Of a long answer only the head: `play` goes through its steps one by one.
  "drop by drop": (bytes) => [...drip(bytes.subarray(0, 300), 7, 2), bytes.subarray(300)],
  "cut in the head": (bytes) => [bytes.subarray(0, 12), { wait: 2 }, "destroy"],
  "cut in the middle": (bytes) => [bytes.subarray(0, (bytes.length * 2) / 3), { wait: 2 }, "reset"]
}

const endings: Readonly<Record<string, ReadonlyArray<Step>>> = {
  "kept open": [],
  ended: ["end"],
  destroyed: [{ wait: 1 }, "destroy"],
  reset: [{ wait: 1 }, "reset"]
}

/** A second answer in the same breath: nobody's, whoever asks next. */
const poison = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(thing("poison"))}\r\n\r\n${thing("poison")}`
)

const calls = ["read", "write", "writeOnce"] as const

/** The expected result of a body for a call that reads it unchanged. */
const meaningTo = (call: Hostile["call"], [, meaning, toRead = meaning]: Body): Meaning =>
  call === "read" ? toRead : meaning

const idOf = (meaning: Meaning | "Broken"): string | undefined =>
  typeof meaning === "string" ? undefined : meaning.id

/** Drawn with and without the headers that tell how they are packed. */
const goodUnpacked: ReadonlySet<unknown> = new Set(["gzip", "gzip twice", "deflate", "brotli"])

const answers = fc
  .record({
    call: fc.constantFrom(...calls),
    status: statusLine,
    headers,
    body: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...Object.keys(bodies)) },
      { weight: 2, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 300 }) }
    ),
    framing: fc.oneof(
      { weight: 4, arbitrary: fc.constant("exact") },
      { weight: 2, arbitrary: fc.constantFrom(...Object.keys(framings)) }
    ),
    prelude: fc.option(fc.constantFrom(...Object.keys(preludes)), { freq: 6, nil: "none" }),
    pacing: fc.oneof(
      { weight: 6, arbitrary: fc.constant("at once") },
      { weight: 2, arbitrary: fc.constantFrom(...Object.keys(pacings)) }
    ),
    ending: fc.oneof(
      { weight: 2, arbitrary: fc.constant("kept open") },
      { weight: 2, arbitrary: fc.constantFrom(...Object.keys(endings)) }
    ),
    poisoned: fc.boolean()
  })
  .map((drawn): Hostile => {
    const body: Body =
      typeof drawn.body === "string"
        ? (bodies[drawn.body] ?? ["", "Empty"])
        : [Buffer.from(drawn.body), "NotJson"]
    const raw = Buffer.from(body[0])
    const framed = framings[drawn.framing]?.(raw) ?? {
      headers: [],
      body: Buffer.alloc(0)
    }
    const bytes = Buffer.concat([
      Buffer.from(preludes[drawn.prelude] ?? "", "latin1"),
      Buffer.from(
        [drawn.status.line, ...drawn.headers, ...framed.headers].join("\r\n") + "\r\n\r\n",
        "latin1"
      ),
      framed.body,
      drawn.poisoned ? poison : Buffer.alloc(0)
    ])
    return {
      call: drawn.call,
      greeting: [],
      steps: [...(pacings[drawn.pacing]?.(bytes) ?? []), ...(endings[drawn.ending] ?? [])],
      status: drawn.status.status,
      good:
        idOf(meaningTo(drawn.call, body)) ??
        (goodUnpacked.has(drawn.body) ? "hostile-1" : undefined),
      recipe: JSON.stringify({
        ...drawn,
        status: drawn.status.line.slice(0, 60),
        headers: drawn.headers.map((header) => header.slice(0, 60)),
        body: typeof drawn.body === "string" ? drawn.body : raw.toString("hex")
      })
    }
  })

/** Nothing that looks like HTTP at all. */
const noise = fc
  .record({
    call: fc.constantFrom(...calls),
    bytes: fc.uint8Array({ minLength: 0, maxLength: 2000 }),
    ending: fc.constantFrom(...Object.keys(endings)),
    early: fc.boolean()
  })
  .map(({ bytes, call, early, ending }): Hostile => {
    const steps: ReadonlyArray<Step> = [Buffer.from(bytes), ...(endings[ending] ?? [])]
    return {
      call,
      greeting: early ? steps : [],
      steps: early ? [] : steps,
      status: undefined,
      good: undefined,
      recipe: JSON.stringify({ call, early, ending, noise: Buffer.from(bytes).toString("hex") })
    }
  })

export const arbitrary = fc.oneof(
  { weight: 9, arbitrary: answers },
  { weight: 1, arbitrary: noise }
)

export interface Clean extends Hostile {
  readonly status: number
  readonly meaning: Meaning | "Broken"
}

const chunks = (body: Buffer): Buffer => {
  const size = 16 * 1024
  const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_, i) => {
    const piece = body.subarray(i * size, (i + 1) * size)
    return [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]
  })
  return Buffer.concat([...pieces.flat(), Buffer.from("0\r\n\r\n")])
}

/** Framings with which nothing is wrong: every byte of the body arrives. */
const cleanFramings: Readonly<Record<string, Framing>> = {
  "with its length": (body) => ({ headers: [`content-length: ${body.length}`], body }),
  "in chunks": (body) => ({ headers: ["transfer-encoding: chunked"], body: chunks(body) })
}

/**
 * Every body to every call, under a few statuses, in answers with which nothing else is wrong. The
 * compressed ones come a second time, with the header that tells of it.
 */
export const clean = (isFetch: boolean): ReadonlyArray<Clean> => {
  const all = Object.entries(bodies).flatMap(([name, body]) => {
    const [encoding, overFetch, otherwise] = compressed[name] ?? []
    const meaning = isFetch ? overFetch : otherwise
    const raw = Buffer.from(body[0])
    const plain = {
      name,
      raw,
      encoding: [],
      meaning: (call: Hostile["call"]) => meaningTo(call, body)
    }
    if (encoding === undefined || meaning === undefined) return [plain]
    return [
      plain,
      {
        name,
        raw,
        // Node's fetch can hang on a connection that it goes on with after what it cannot unpack.
        encoding: [
          `content-encoding: ${encoding}`,
          ...(meaning === "Broken" ? ["connection: close"] : [])
        ],
        meaning: () => meaning
      }
    ]
  })
  return all.flatMap(({ encoding, meaning, name, raw }) =>
    Object.entries(cleanFramings).flatMap(([framing, frame]) => {
      const { body, headers } = frame(raw)
      return [200, 201, 422].flatMap((status) => {
        const head = [
          `HTTP/1.1 ${status} Words`,
          "content-type: application/json",
          ...encoding,
          ...headers
        ]
        const steps = [Buffer.from(head.join("\r\n") + "\r\n\r\n"), body]
        return calls.map((call) => ({
          call,
          greeting: [],
          steps,
          status,
          meaning: meaning(call),
          good: idOf(meaning(call)),
          recipe: [call, status, framing, ...encoding, name].join(", ")
        }))
      })
    })
  )
}
