/**
 * Answers that no service should give, drawn at random: what a broken proxy, a broken service or
 * an enemy on the way could write to the socket.
 */
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

/** The bytes, and the id of a success that they may be read as. */
type Body = readonly [bytes: Buffer | string, id?: string]

/** A success, but not to a read of `thing-1`. */
const aboutAnother = "good, about another"

const { phone, tokenText: token } = FakeService

const bodies: Readonly<Record<string, Body>> = {
  good: [thing("hostile-1"), "hostile-1"],
  [aboutAnother]: [
    envelope({ id: "hostile-1", status: "PENDING", reference: "thing-2" }),
    "hostile-1"
  ],
  "misfit of its own": [envelope({ id: 7, name: "a thing", reference: "thing-1" })],
  "misfit of another": [envelope({ id: 7, name: "some" })],
  "failure envelope": [failure("no")],
  "echo of secrets": [failure(`${token} ${phone} Bearer ${encodeURIComponent(token)}`)],
  "echo in success": [envelope({ id: phone, reference: token, status: [token] })],
  "echo as html": [`<html>${token}\n${phone}</html>`],
  "echo as keys": [
    `{"success":false,"data":{"error":{"code":"${phone}","message":"m","details":{"${token}":{"${phone}":1}}}},"meta":{"correlation_id":"${token}"}}`
  ],
  "echo cut in two": [`{"success":true,"data":{"id":"${token.slice(0, token.length - 5)}`],
  empty: [""],
  spaces: [" \r\n\t "],
  html: ["<html><body>502 Bad Gateway</body></html>"],
  "deep arrays": [`{"success":true,"data":${nested(30_000, "[", "]")}}`],
  "deep objects": [`{"success":true,"data":${nested(10_000, `{"a":`, "}")}}`],
  "deep details": [
    `{"success":false,"data":{"error":{"code":"C","message":"m","details":${nested(30_000, "[", "]")}}}}`
  ],
  "deep and never closed": ["[".repeat(60_000)],
  "big numbers": [`{"success":true,"data":{"id":1e400,"status":${"9".repeat(5000)}}}`],
  "big correlation": [
    `{"success":true,"data":{"id":"hostile-1","status":"PENDING"},"meta":{"correlation_id":${"9".repeat(400)}}}`,
    "hostile-1"
  ],
  "duplicate keys": [
    `{"success":false,"success":true,"data":1,"data":{"id":"x","id":"hostile-1","status":"PENDING"}}`,
    "hostile-1"
  ],
  proto: [
    `{"__proto__":{"success":true},"success":true,"data":{"__proto__":{"id":"p","status":"p"},"constructor":{"prototype":{"polluted":1}}}}`
  ],
  "proto only": [`{"__proto__":{"success":true,"data":{"id":"polluted","status":"p"}}}`],
  "proto in details": [
    `{"success":false,"data":{"error":{"code":"C","message":"m","details":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}}}`
  ],
  "lone surrogates": [
    `{"success":true,"data":{"id":"\\ud800","status":"\\udfff\\ud800"}}`,
    "\ud800"
  ],
  "lone surrogates in a failure": [
    `{"success":false,"data":{"error":{"code":"\\ud800","message":"\\udfff","details":["\\ud800"]}},"meta":{"correlation_id":"\\udc00"}}`
  ],
  "NUL bytes": [Buffer.from(`{"success":true,"data":{"id":"a\u0000b","status":"x"}}\u0000`)],
  "NUL escapes": [
    `{"success":true,"data":{"id":"hostile-\\u0000","status":"PENDING"}}`,
    "hostile-\u0000"
  ],
  "line breaks": [failure("first\r\nERROR second\u2028third\u001b[31mred")],
  "good, then garbage": [thing("hostile-1") + "}{garbage"],
  "good twice": [thing("hostile-1") + thing("hostile-2")],
  "cut short": [thing("hostile-1").slice(0, 40)],
  "not UTF-8": [Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0xa0, 0xff, 0xfe, 0x22, 0x7d])],
  "overlong UTF-8": [Buffer.from(`{"success":true,"data":"\u00c0\u00af"}`, "latin1")],
  "UTF-16": [Buffer.from(thing("hostile-1"), "utf16le")],
  "byte order mark": [`\ufeff${thing("hostile-1")}`, "hostile-1"],
  "to the cap": [
    envelope({ id: "x".repeat(bodyLimit - 90), status: "PENDING" }),
    "x".repeat(bodyLimit - 90)
  ],
  "one byte over the cap": [thing("hostile-1").padEnd(bodyLimit + 1)],
  "good, and spaces to the cap": [thing("hostile-1").padEnd(bodyLimit), "hostile-1"],
  "over the cap": [envelope({ id: "x".repeat(bodyLimit), status: "PENDING" })],
  "far over the cap": [Buffer.alloc(1024 * 1024, "x")],
  array: ["[1,2,3]"],
  "a string": [`"success"`],
  null: ["null"],
  "success as text": [`{"success":"true","data":{"id":"a","status":"b"}}`],
  "success without data": [`{"success":true}`],
  "failure with odd members": [
    `{"success":false,"data":{"error":{"code":7,"message":["a"],"details":null}},"meta":7}`
  ],
  "many members": [
    `{"success":false,"data":{"error":{"code":"C","message":"m","details":{${Array.from({ length: 4000 }, (_, i) => `"k${i}":${i}`).join(",")}}}}}`
  ],
  gzip: [gzipSync(thing("hostile-1"))],
  "gzip cut short": [gzipSync(thing("hostile-1")).subarray(0, 30)],
  "gzip twice": [gzipSync(gzipSync(thing("hostile-1")))],
  "gzip bomb": [gzipSync(Buffer.alloc(2 * 1024 * 1024, " "))],
  "gzip with a wrong checksum": [
    Buffer.concat([gzipSync(thing("hostile-1")).subarray(0, -8), Buffer.alloc(8)])
  ],
  deflate: [deflateSync(thing("hostile-1"))],
  brotli: [brotliCompressSync(thing("hostile-1"))]
}

/** By body: how it is compressed, and the end of a read of it over `fetch`, and over other clients. */
const compressed: ReadonlyArray<
  readonly [body: string, encoding: string, ...ends: [string, string]]
> = [
  ["gzip", "gzip", "Success", "Success"],
  ["gzip cut short", "gzip", "MalformedResponseError Empty", "MalformedResponseError NotText"],
  // `fetch` keeps the header, so what is still compressed is decompressed again.
  ["gzip twice", "gzip", "Success", "MalformedResponseError NotText"],
  ["gzip bomb", "gzip", "MalformedResponseError TooLarge", "MalformedResponseError TooLarge"],
  ["gzip with a wrong checksum", "gzip", "TransportError", "MalformedResponseError NotText"],
  ["deflate", "deflate", "Success", "Success"],
  ["brotli", "br", "Success", "Success"]
]

const goodStatuses = [200, 201, 202, 400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503]
const oddStatuses = [
  100, 102, 103, 199, 203, 204, 205, 206, 226, 300, 301, 304, 307, 308, 402, 405, 407, 410, 413,
  418, 421, 425, 426, 431, 451, 499, 504, 511, 599, 600, 666, 799, 999
]

const weighted = <A>(weight: number, arbitrary: FastCheck.Arbitrary<A>) => ({ weight, arbitrary })

const statusLines = (words: string, statuses: ReadonlyArray<number>) =>
  fc.constantFrom(...statuses).map((status) => ({
    line: `HTTP/1.1 ${status} ${words}`,
    status: status as number | undefined
  }))

const oddLines: Readonly<Record<string, number | undefined>> = {
  "HTTP/1.0 200 OK": 200,
  "HTTP/1.1 200": 200,
  "HTTP/1.1 422": 422,
  "HTTP/1.1 200 \u00e9\u00ff": 200,
  [`HTTP/1.1 200 ${"x".repeat(20_000)}`]: 200,
  "HTTP/1.1 2OO OK": undefined,
  "HTTP/1.1 -200 OK": undefined,
  "HTTP/1.1 99 OK": undefined,
  "HTTP/1.1 4220 OK": undefined,
  "HTTP/1.1 000 OK": undefined,
  "HTTP/9.9 422 OK": undefined,
  "HTTP/2 422 OK": undefined,
  "HTTP/0.9 200 OK": undefined,
  "ICY 422 OK": undefined,
  "http/1.1 422 ok": undefined,
  "HTTP/1.1\t422\tOK": undefined,
  "\u0000\u0000\u0000\u0000": undefined,
  "": undefined,
  "GET / HTTP/1.1": undefined,
  "HTTP/1.1 404 Not Found\r\nHTTP/1.1 404 Not Found": undefined
}

const statusLine = fc.oneof(
  weighted(6, statusLines("OK", [200, 201])),
  weighted(6, statusLines("Words", goodStatuses)),
  weighted(4, statusLines("Odd", oddStatuses)),
  weighted(
    3,
    fc.constantFrom(...Object.entries(oddLines)).map(([line, status]) => ({ line, status }))
  )
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
  weighted(3, fc.constant(["content-type: application/json"])),
  weighted(
    3,
    fc.constantFrom(...hostileHeaders).map((header) => [header])
  ),
  weighted(1, fc.subarray(hostileHeaders, { maxLength: 5 })),
  // Twice the same, where a parser joins them.
  weighted(
    1,
    fc.constantFrom(...hostileHeaders).map((header) => [header, header])
  )
)

type Framing = (body: Buffer) => { readonly headers: ReadonlyArray<string>; readonly body: Buffer }

/** With these lengths of the body. */
const withLengths =
  (lengthsOf: (length: number) => ReadonlyArray<string | number>): Framing =>
  (body) => ({ headers: lengthsOf(body.length).map((it) => `content-length: ${it}`), body })

const chunked = (body: Buffer, size: string, tail = "0\r\n\r\n") => ({
  headers: ["transfer-encoding: chunked"],
  body: Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from(`\r\n${tail}`)])
})
const lengths = (...values: ReadonlyArray<string | number>) => withLengths(() => values)

const framings: Readonly<Record<string, Framing>> = {
  exact: withLengths((length) => [length]),
  "length too long": withLengths((length) => [length + 7]),
  "length too short": withLengths((length) => [Math.max(0, length - 7)]),
  "length zero": lengths(0),
  "length below zero": lengths(-1),
  "length of words": lengths("many"),
  "length with a plus": lengths("+5"),
  "length in hex": lengths("0x10"),
  "length beyond numbers": lengths("9".repeat(40)),
  "length far over the cap": lengths(10_000_000_000),
  "two lengths": withLengths((length) => [length, 3]),
  "the same length twice": withLengths((length) => [length, length]),
  "a list of lengths": withLengths((length) => [`${length}, ${length}`]),
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

/** Drawn with and without the headers that tell how they are packed. */
const goodUnpacked: ReadonlySet<unknown> = new Set(["gzip", "gzip twice", "deflate", "brotli"])

const answers = fc
  .record({
    call: fc.constantFrom(...calls),
    status: statusLine,
    headers,
    body: fc.oneof(
      weighted(12, fc.constantFrom(...Object.keys(bodies))),
      weighted(2, fc.uint8Array({ minLength: 1, maxLength: 300 }))
    ),
    framing: fc.oneof(
      weighted(4, fc.constant("exact")),
      weighted(2, fc.constantFrom(...Object.keys(framings)))
    ),
    prelude: fc.option(fc.constantFrom(...Object.keys(preludes)), { freq: 6, nil: "none" }),
    pacing: fc.oneof(
      weighted(6, fc.constant("at once")),
      weighted(2, fc.constantFrom(...Object.keys(pacings)))
    ),
    ending: fc.oneof(
      weighted(2, fc.constant("kept open")),
      weighted(2, fc.constantFrom(...Object.keys(endings)))
    ),
    poisoned: fc.boolean()
  })
  .map((drawn): Hostile => {
    const body: Body =
      typeof drawn.body === "string" ? (bodies[drawn.body] ?? [""]) : [Buffer.from(drawn.body)]
    const raw = Buffer.from(body[0])
    const framed = framings[drawn.framing]?.(raw) ?? { headers: [], body: Buffer.alloc(0) }
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
        drawn.call === "read" && drawn.body === aboutAnother
          ? undefined
          : (body[1] ?? (goodUnpacked.has(drawn.body) ? "hostile-1" : undefined)),
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

export const arbitrary = fc.oneof(weighted(9, answers), weighted(1, noise))

/** Compressed bodies that arrive whole, with the header that says so, and the end of a read of each. */
export const compressedReads = (isFetch: boolean) =>
  compressed.map(([name, encoding, overFetch, elsewhere]) => {
    const body = Buffer.from(bodies[name]?.[0] ?? "")
    // Node's fetch can hang on a connection that it goes on with after what it cannot unpack.
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`
    const steps: ReadonlyArray<Step> = [Buffer.from(head), body]
    const hostile: Hostile = {
      call: "read",
      greeting: [],
      steps,
      status: 200,
      good: "hostile-1",
      recipe: name
    }
    return { hostile, end: isFetch ? overFetch : elsewhere }
  })
