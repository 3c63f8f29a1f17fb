import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@manilla/core/Amount"
import type * as Errors from "@manilla/core/Errors"
import * as FetchClient from "@manilla/core/FetchClient"
import * as Operation from "@manilla/core/Operation"
import * as OperationKind from "@manilla/core/OperationKind"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { gzipSync } from "node:zlib"

const options: FakeService.Options = { bodyLimit: 1_000_000, retry: { attempts: 1 } }
const utf8 = new TextEncoder()

/** The same response to a read and to a keyed write. */
const answered = (reaction: FakeService.Reaction) =>
  Effect.gen(function* () {
    const { calls, received } = yield* FakeService.make([reaction], options)
    const read = yield* Effect.exit(calls.read(FakeService.calls.read))
    const write = yield* Effect.exit(calls.write(FakeService.calls.write))
    return { read, write, received }
  })

const failed = (reaction: FakeService.Reaction) =>
  Effect.gen(function* () {
    const { read, received, write } = yield* answered(reaction)
    return { read: yield* Effect.flip(read), write: yield* Effect.flip(write), received }
  })

const envelope = (members: Record<string, unknown> = {}) => ({
  success: true,
  data: { id: "thing-1", status: "PENDING" },
  meta: { correlation_id: "c-1" },
  ...members
})

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels)

describe("a success", () => {
  for (const status of [200, 201, 202, 206, 299]) {
    Test.effect(`is any 2xx: ${status}`, function* () {
      const { read, write } = yield* answered({ status, body: JSON.stringify(envelope()) })
      assert.deepStrictEqual(yield* read, envelope().data)
      assert.deepStrictEqual(yield* write, envelope().data)
    })
  }

  for (const [how, body] of [
    ["after a byte order mark", `\ufeff${JSON.stringify(envelope())}`],
    ["between white space", `\r\n\t ${JSON.stringify(envelope(), undefined, 2)} \n`],
    [
      "with its members in another order",
      `{"meta":{},"data":{"status":"S","id":"I"},"success":true}`
    ],
    ["without meta", `{"success":true,"data":{"id":"I","status":"S"}}`],
    ["without a correlation id", `{"success":true,"data":{"id":"I","status":"S"},"meta":{}}`],
    [
      "with an envelope that has more members",
      `{"success":true,"data":{"id":"I","status":"S"},"y":2}`
    ]
  ] as const) {
    Test.effect(`is read ${how}`, function* () {
      const { read } = yield* answered({ status: 200, body })
      assert.hasAllKeys(yield* read, ["id", "status"])
    })
  }

  Test.effect("preserves members that are not in the schema", function* () {
    const data = { id: "I", status: "S", x: [1, { y: null }] }
    const { read } = yield* answered(FakeService.answer(data))
    assert.deepStrictEqual(yield* read, data)
  })

  Test.effect("cannot reach into a prototype", function* () {
    const body = `{"__proto__":{"success":false},"success":true,"data":{"__proto__":{"polluted":1},"id":"I","status":"S"}}`
    const { read } = yield* answered({ status: 200, body })
    const value = yield* read
    assert.strictEqual(value.id, "I")
    assert.strictEqual(Object.getPrototypeOf(value), Object.prototype)
    assert.notProperty(value, "polluted")
    assert.notProperty({}, "polluted")
  })

  Test.effect("takes no member from a prototype", function* () {
    const body = `{"success":true,"data":{"__proto__":{"id":"I"},"status":"S"}}`
    const { read } = yield* failed({ status: 200, body })
    assert.strictEqual(read._tag, "MalformedResponseError")
  })

  Test.effect("may have 10,000 levels in members that are not in the schema", function* () {
    const { read, write } = yield* answered({
      status: 200,
      body: `{"success":true,"data":{"id":"I","status":"S","x":${nested(10_000)}}}`
    })
    assert(Exit.isSuccess(read))
    assert(Exit.isSuccess(write))
  })
})

describe("a body with a false length is too large", () => {
  const clientsOf = (respond: () => Response) => ({
    FetchClient: FetchClient.make(() => Promise.resolve(respond())),
    "another client": HttpClient.make((request) =>
      Effect.sync(() => HttpClientResponse.fromWeb(request, respond()))
    )
  })
  for (const encoding of ["gzip", "identity"]) {
    for (const client of ["FetchClient", "another client"] as const) {
      Test.effect(`over ${client}, with the encoding ${encoding}`, function* () {
        const chunk = utf8.encode(" ".repeat(100_000))
        let chunks = 0
        const decompressed = () =>
          new ReadableStream({
            pull: (controller) => {
              if (++chunks > 1000) controller.close()
              else controller.enqueue(chunk)
            }
          })
        const headers = { "content-encoding": encoding, "content-length": "97000" }
        const clients = clientsOf(() => new Response(decompressed(), { headers }))
        const { calls } = yield* FakeService.make([FakeService.success], {
          ...options,
          through: () => clients[client]
        })
        const error = yield* Effect.flip(calls.read(FakeService.calls.read))
        assert(error._tag === "MalformedResponseError")
        assert.strictEqual(error.reason, "TooLarge")
        if (encoding === "gzip") assert.isAtMost(chunks, 15)
      })
    }
  }
})

Test.effect("a body may have as many bytes as the limit, and not one more", function* () {
  const body = JSON.stringify(envelope()).padEnd(1_000_000)
  assert.isTrue(Exit.isSuccess((yield* answered({ status: 200, body })).read))
  assert.isTrue(Exit.isFailure((yield* answered({ status: 200, body: `${body} ` })).read))
})

describe("a 2xx that cannot be read", () => {
  const bodies: ReadonlyArray<
    readonly [string, Errors.MalformedReason, string | Uint8Array<ArrayBuffer> | undefined]
  > = [
    ["no body", "Empty", undefined],
    ["an empty body", "Empty", ""],
    ["white space", "Empty", " \r\n\t"],
    ["a byte order mark alone", "Empty", "\ufeff"],
    ["HTML", "NotJson", "<!DOCTYPE html><html><body>OK</body></html>"],
    ["words", "NotJson", "OK"],
    ["truncated JSON", "NotJson", JSON.stringify(envelope()).slice(0, -2)],
    ["JSON twice", "NotJson", JSON.stringify(envelope()).repeat(2)],
    ["JSON followed by a NUL", "NotJson", `${JSON.stringify(envelope())}\u0000`],
    ["single quotes", "NotJson", `{'success':true}`],
    ["NaN", "NotJson", "NaN"],
    ["invalid UTF-8", "NotText", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ["UTF-8 truncated within a character", "NotText", utf8.encode(`{"a":"é"}`).slice(0, 7)],
    ["UTF-16", "NotText", new Uint8Array(Buffer.from(`\ufeff{"success":true}`, "utf16le"))],
    ["gzip bytes", "NotText", new Uint8Array(gzipSync(JSON.stringify(envelope())))],
    ["null", "NotAnEnvelope", "null"],
    ["a list", "NotAnEnvelope", "[]"],
    ["an envelope in a list", "NotAnEnvelope", JSON.stringify([envelope()])],
    ["a number", "NotAnEnvelope", "42"],
    ["a text", "NotAnEnvelope", `"x"`],
    ["true", "NotAnEnvelope", "true"],
    ["an empty object", "NotAnEnvelope", "{}"],
    ["the resource without an envelope", "NotAnEnvelope", `{"id":"I","status":"S"}`],
    ["success as a text", "NotAnEnvelope", JSON.stringify(envelope({ success: "true" }))],
    ["success as a number", "NotAnEnvelope", JSON.stringify(envelope({ success: 1 }))],
    ["success behind __proto__", "NotAnEnvelope", `{"__proto__":{"success":true}}`],
    ["an array of 10,000 levels", "NotAnEnvelope", nested(10_000)],
    ["an envelope of failure", "Contradiction", JSON.stringify(envelope({ success: false }))],
    ["more than the limit", "TooLarge", JSON.stringify(envelope({ x: "x".repeat(1_000_000) }))]
  ]

  for (const [what, reason, body] of bodies) {
    Test.effect(`${what}: ${reason}, and the outcome of a write is unknown`, function* () {
      const status = body === undefined ? 204 : 201
      const { read, write } = yield* failed({ status, ...(body === undefined ? {} : { body }) })
      assert(read._tag === "MalformedResponseError", read._tag)
      assert.deepInclude(read, { reason, status })
      assert(write._tag === "OutcomeUnknown", write._tag)
      assert.strictEqual(write.key, FakeService.key)
      assert(write.cause._tag === "MalformedResponseError")
      assert.strictEqual(write.cause.reason, reason)
    })
  }

  for (const [ids, expected] of [
    [{ id: "another", reference: "thing-2" }, "AnotherSubject"],
    [{ id: "thing-1", reference: "thing-2" }, "read"],
    [{ id: "another", reference: "thing-1" }, "read"],
    [{ id: "another", reference: "THING-1" }, "read"],
    [{ id: "another" }, "read"]
  ] as const) {
    Test.effect(`the reference thing-1, and ${JSON.stringify(ids)}: ${expected}`, function* () {
      const { read } = yield* answered(FakeService.answer({ status: "COMPLETED", ...ids }))
      const end = Effect.match(read, {
        onFailure: (error) => ("reason" in error ? error.reason : error._tag),
        onSuccess: () => "read"
      })
      assert.strictEqual(yield* end, expected)
    })
  }

  Test.effect("keeps the service's error in a contradiction", function* () {
    const details = { amount: ["is too low"] }
    const body = JSON.stringify({
      success: false,
      data: { error: { code: "LOW_AMOUNT", message: "some words", details } },
      meta: { correlation_id: "c-1" }
    })
    const { read, write } = yield* failed({ status: 200, body })
    assert(write._tag === "OutcomeUnknown")
    assert.include(write.message, "LOW_AMOUNT: some words")
    for (const error of [read, write.cause]) {
      assert(error._tag === "MalformedResponseError")
      assert.strictEqual(error.reason, "Contradiction")
      assert.strictEqual(error.correlationId, "c-1")
      assert.strictEqual(error.code, "LOW_AMOUNT")
      assert.strictEqual(error.serviceMessage, "some words")
      assert.deepStrictEqual(error.details, details)
      assert.include(error.message, "LOW_AMOUNT: some words")
    }
  })
})

describe("a success with data that does not match its schema", () => {
  const misfit = (data: unknown) => FakeService.answer(data, 201, { correlation_id: "c-9" })

  Test.effect("is a DataMisfit for a read, with fields and without values", function* () {
    const { read, received } = yield* failed(
      misfit({ id: 4711, status: ["HUSH"], reference: "thing-1" })
    )
    assert(read._tag === "MalformedResponseError")
    assert.strictEqual(read.reason, "DataMisfit")
    assert.deepStrictEqual(FakeService.fieldsOf(read), ["data.id", "data.status"])
    assert.strictEqual(read.correlationId, "c-9")
    assert.notMatch(JSON.stringify(read), /4711|HUSH/)
    assert.strictEqual(received.filter(({ method }) => method === "GET").length, 1)
  })

  Test.effect("is AppliedUnreadable for a write, with the id of the resource", function* () {
    const { received, write } = yield* failed(
      misfit({ id: "thing-9", reference: "R-9", status: 7, name: "a thing" })
    )
    assert(write._tag === "AppliedUnreadable")
    // The message alone must identify the resource.
    for (const name of [FakeService.key, "thing-9", "R-9"]) assert.include(write.message, name)
    assert.deepStrictEqual(FakeService.fieldsOf(write), ["data.status"])
    assert.strictEqual(write.id, "thing-9")
    assert.strictEqual(write.reference, "R-9")
    assert.strictEqual(write.correlationId, "c-9")
    assert.strictEqual(write.key, FakeService.key)
    assert.strictEqual(write.status, 201)
    assert.strictEqual(received.length, 2)
  })

  for (const [what, data] of [
    ["no data", undefined],
    ["null", null],
    ["a list", []],
    ["a text", "thing-1"],
    ["an empty object", {}],
    ["a page of something", { current_page: 1, data: [] }],
    ["a resource without values of the request", { id: "thing-9" }]
  ] as const) {
    Test.effect(`is Unrelated and retried when the data is ${what}`, function* () {
      const { read, write } = yield* failed(misfit(data))
      // It may be the response to another request.
      assert(read._tag === "MalformedResponseError")
      assert.strictEqual(read.reason, "Unrelated")
      assert.strictEqual(RetryPolicy.faultOf(read), "UnreadableResponse")
      assert(write._tag === "OutcomeUnknown")
      assert(write.cause._tag === "MalformedResponseError")
      assert.strictEqual(write.cause.reason, "Unrelated")
      assert.strictEqual(RetryPolicy.faultOf(write.cause), "UnreadableResponse")
      assert.notInclude(write.message, "thing-9")
    })

    Test.effect(`is not told as applied for a write without a key: data is ${what}`, function* () {
      const { calls } = yield* FakeService.make([misfit(data)], options)
      const error = yield* Effect.flip(calls.writeOnce(FakeService.calls.writeOnce))
      assert.strictEqual(error._tag, "UnkeyedOutcomeUnknown")
    })
  }

  Test.effect("lists all invalid fields of a short response, and few of a long one", function* () {
    const broken = { id: 1, status: 2, reference: "thing-1" }
    const short = yield* failed(misfit(broken))
    const long = yield* failed(misfit({ ...broken, x: "x".repeat(20_000) }))
    assert(
      short.read._tag === "MalformedResponseError" && long.read._tag === "MalformedResponseError"
    )
    assert.strictEqual(short.read.issues.length, 2)
    assert.strictEqual(long.read.issues.length, 1)
  })

  for (const meta of [null, [], "c-1", { correlation_id: 42 }, { correlation_id: "" }]) {
    Test.effect(`ignores an invalid meta: ${JSON.stringify(meta)}`, function* () {
      const { write } = yield* answered(FakeService.answer(envelope().data, 201, meta))
      assert.strictEqual((yield* write).id, "thing-1")
      const { read } = yield* failed(FakeService.answer({}, 500, meta))
      assert(read._tag === "MalformedResponseError")
      assert.isUndefined(read.correlationId)
    })
  }
})

const tags = [
  [400, "BadRequestError"],
  [401, "UnauthorizedError"],
  [403, "ForbiddenError"],
  [404, "NotFoundError"],
  [409, "ConflictError"],
  [422, "UnprocessableError"],
  [429, "RateLimitError"],
  [500, "ServerError"],
  [502, "ServerError"],
  [503, "ServerError"],
  [599, "ServerError"],
  [402, "UnexpectedStatusError"],
  [405, "UnexpectedStatusError"],
  [408, "UnexpectedStatusError"],
  [410, "UnexpectedStatusError"],
  [418, "UnexpectedStatusError"]
] as const

describe("an error status", () => {
  for (const [status, tag] of tags) {
    Test.effect(`${status} is ${tag}, with all fields of its envelope`, function* () {
      const details = { amount: ["is too low"], rows: [{ n: 1 }, null] }
      const { read } = yield* failed(
        FakeService.failure(status, {}, { code: "SOME_CODE", message: "some words", details })
      )
      assert.strictEqual(read._tag, tag)
      assert("code" in read && "details" in read && "correlationId" in read && "status" in read)
      assert.strictEqual(read.status, status)
      assert.strictEqual(read.code, "SOME_CODE")
      assert.strictEqual(read.serviceMessage, "some words")
      assert.deepStrictEqual(read.details, details)
      assert.strictEqual(read.correlationId, "c-2")
      assert.strictEqual(read.operation, "Things.read")
      assert.include(read.message, "some words")
      assert.include(read.message, String(status))
    })

    for (const [what, body] of [
      ["no body", ""],
      ["HTML", "<html><h1>Bad Gateway</h1></html>"],
      ["garbage", new Uint8Array([0xff, 0x00, 0xfe])],
      ["truncated JSON", `{"success":false,"data":{"err`],
      ["JSON that is not an envelope", `{"message":"Unauthenticated."}`],
      ["null", "null"],
      ["a body over the limit", "x".repeat(1_000_001)]
    ] as const) {
      Test.effect(`${status} is ${tag} with ${what}`, function* () {
        const { read } = yield* failed({ status, body })
        assert.strictEqual(read._tag, tag)
        assert("code" in read && "details" in read)
        assert.strictEqual(read.code, undefined)
        assert.strictEqual(read.details, undefined)
      })
    }

    Test.effect(`${status} with success is a contradiction: the outcome is unknown`, function* () {
      const { read, write } = yield* failed({ status, body: JSON.stringify(envelope()) })
      assert(read._tag === "MalformedResponseError")
      assert.deepInclude(read, { reason: "Contradiction", status })
      assert.strictEqual(write._tag, "OutcomeUnknown")
    })
  }

  Test.effect("of a redirect counts although its body is a success", function* () {
    const { read } = yield* failed({ status: 302, body: JSON.stringify(envelope()) })
    assert.strictEqual(read._tag, "UnexpectedStatusError")
  })

  Test.effect("keeps details that are an array", function* () {
    const { read } = yield* failed(
      FakeService.failure(422, {}, { code: "C", message: "m", details: ["a", { b: 1 }] })
    )
    assert(read._tag === "UnprocessableError")
    assert.deepStrictEqual(read.details, ["a", { b: 1 }])
  })

  for (const [what, error, meta, code, message] of [
    ["without a message", { code: "C" }, {}, "C", undefined],
    ["without a code", { message: "words" }, {}, undefined, "words"],
    ["with a null message", { code: "C", message: null }, {}, "C", undefined],
    ["with a numeric code", { code: 1042, message: "words" }, {}, undefined, "words"],
    ["with null for meta", { code: "C", message: "words" }, null, "C", "words"],
    ["with a list for meta", { code: "C", message: "words" }, [], "C", "words"]
  ] as const) {
    Test.effect(`keeps the valid fields of an envelope ${what}`, function* () {
      const { read } = yield* failed({
        status: 422,
        body: JSON.stringify({ success: false, data: { error }, meta })
      })
      assert(read._tag === "UnprocessableError")
      assert.strictEqual(read.code, code)
      assert.strictEqual(read.serviceMessage, message)
      for (const word of [code, message]) {
        if (word !== undefined) assert.include(read.message, word)
      }
    })
  }

  Test.effect("details may be 10,000 levels deep", function* () {
    const { read, write } = yield* failed({
      status: 422,
      body: `{"success":false,"data":{"error":{"code":"C","message":"m","details":${nested(10_000)}}}}`
    })
    assert.strictEqual(read._tag, "UnprocessableError")
    assert.strictEqual(write._tag, "UnprocessableError")
    // Applications may stringify an unexpected error.
    assert.doesNotThrow(() => JSON.stringify(write))
  })

  // Errors contain at most 1,000 values, and 500 characters of each text.
  for (const [what, details, longest] of [
    [
      "a million numbers",
      Array.from({ length: 1000 }, () => Array.from({ length: 1000 }, () => 7)),
      10_000
    ],
    [
      "20,000 members",
      Object.fromEntries(Array.from({ length: 20_000 }, (_, number) => [`m${number}`, 7])),
      20_000
    ],
    ["long texts", Array.from({ length: 1000 }, () => "x ".repeat(2000)), 510_000]
  ] as const) {
    Test.effect(`details with ${what} are truncated, and do not crash the process`, function* () {
      const { calls } = yield* FakeService.make([
        FakeService.failure(422, {}, { code: "C", message: "m", details })
      ])
      const error = yield* Effect.flip(calls.write(FakeService.calls.write))
      assert.strictEqual(error._tag, "UnprocessableError")
      assert.isBelow(JSON.stringify(error).length, longest)
    })
  }

  Test.effect("control and bidirectional characters are escaped in all fields", function* () {
    const { read } = yield* failed(
      FakeService.failure(
        422,
        {},
        { code: "A\u0007B", message: "one\ntwo\u202ethree", details: { "k\r": ["v\u0000"] } }
      )
    )
    assert(read._tag === "UnprocessableError")
    assert.strictEqual(read.code, "A\\u{7}B")
    assert.strictEqual(read.serviceMessage, "one\\u{a}two\\u{202e}three")
    assert.deepStrictEqual(read.details, { "k\\u{d}": ["v\\u{0}"] })
    assert.include(read.message, "one\\u{a}two\\u{202e}three")
  })

  Test.effect("a key named __proto__ in details stays plain data", function* () {
    const { write } = yield* failed({
      status: 422,
      body: `{"success":false,"data":{"error":{"code":"C","message":"m","details":{"__proto__":{"polluted":1}}}}}`
    })
    assert(write._tag === "UnprocessableError")
    assert.notProperty({}, "polluted")
    assert.notProperty(write.details as object, "polluted")
    assert.include(JSON.stringify(write), `"__proto__"`)
  })
})

describe("403", () => {
  Test.effect("contains the missing scope and the granted scopes", function* () {
    const { calls } = yield* FakeService.make([FakeService.failure(403)])
    const error = yield* Effect.flip(calls.writeOnce(FakeService.calls.writeOnce))
    assert(error._tag === "ForbiddenError")
    assert.strictEqual(error.requiredScope, "payment_links.write")
    assert.deepStrictEqual(error.grantedScopes, ["payments.read", "payments.write"])
    assert.include(error.message, "payment_links.write")
  })

  Test.effect("does not mention a scope that the token has", function* () {
    const { read } = yield* failed(FakeService.failure(403))
    assert(read._tag === "ForbiddenError")
    assert.notInclude(read.message, "payments.read")
  })
})

describe("the response to a write", () => {
  const Order = Schema.Struct({
    amount: Amount.Input,
    currency: Schema.String,
    operation: OperationKind.Input,
    payee: Schema.String,
    key: Schema.String
  })
  const members = [
    { field: "amount", as: "amount" },
    { field: "currency", as: "code" },
    { field: "operation", as: "kind" },
    { field: "payee", as: "phone" }
  ] as const
  const create = {
    method: "POST",
    path: "/orders",
    summary: "Create an order",
    access: "bearer",
    payload: Order,
    success: Schema.Struct({ id: Schema.String })
  } as const
  const group = Operation.group("Orders", {
    create: Operation.once({
      ...create,
      checks: { members: [...members, { field: "key", as: "text" }] }
    }),
    createWithoutText: Operation.once({ ...create, checks: { members } })
  })
  const sent = {
    amount: "1500",
    currency: "XOF",
    operation: "DEPOSIT",
    payee: "+2290161234567",
    key: "Order-42"
  } as const

  /** The members that differ from the request. */
  const differing = (payload: Partial<typeof Order.Type>, back: Record<string, unknown>) =>
    Effect.gen(function* () {
      const request = { ...sent, ...payload }
      const { gateway } = yield* FakeService.make([
        FakeService.answer({ id: "I", ...request, ...back }, 201)
      ])
      const result = yield* Effect.either(gateway.calls(group).create({ payload: request }))
      if (result._tag === "Right") return []
      assert(result.left._tag === "UnkeyedOutcomeUnknown", result.left._tag)
      assert(result.left.cause._tag === "MalformedResponseError")
      assert.strictEqual(result.left.cause.reason, "AnotherSubject")
      return FakeService.fieldsOf(result.left.cause)
    })

  for (const [member, given, back] of [
    ["amount", "1500", "1500.0000"],
    ["amount", "0.1", "0.1000"],
    ["amount", "0.1000", "0.10000000"],
    ["amount", "0001500", "1500"],
    ["amount", "0", "0.0000"],
    ["amount", "9007199254740993", "9007199254740993.0000"],
    ["currency", "XOF", "xof"],
    ["operation", "DEPOSIT", "deposit"],
    ["operation", "DEPOSIT", "CASH_IN"],
    ["payee", "+2290161234567", "01 61 23 45 67"],
    ["payee", "0161234567", "+229 01-61-23-45-67"],
    // Not compared: missing, null, shortened or masked.
    ["amount", "1500", undefined],
    ["amount", "1500", null],
    ["amount", "1500", 700],
    ["amount", "1500", "about 700"],
    ["payee", "+2290161234567", "4567"],
    ["payee", "+2290161234567", "+22901****4567"],
    ["payee", "+2290161234567", "+229016123456."],
    ["payee", "+2290161234567", "+229 01    45 67"],
    ["payee", "+2290161234567", "+229-01----45-67"],
    ["payee", "+2290161234567", "+229 01 .. .. .. 67"],
    ["payee", "+2290161234567", "+22901....4567"],
    ["payee", "+2290161234567", "+22901 -- -- 45 67"],
    ["payee", "+2290161234567", "+229016123...."],
    // The old format of 8 digits.
    ["payee", "+2290161234567", "61234567"]
  ] as const) {
    Test.effect(
      `may have ${member} ${JSON.stringify(back)} for ${JSON.stringify(given)}`,
      function* () {
        assert.deepStrictEqual(yield* differing({ [member]: given }, { [member]: back }), [])
      }
    )
  }

  for (const [member, given, back] of [
    ["amount", "1500", "700.0000"],
    ["amount", "1500", "1500.0001"],
    ["amount", "1500", "-1500"],
    ["amount", "1500", "15000"],
    // Equal as floats.
    ["amount", "9007199254740993", "9007199254740992"],
    ["amount", "0.1", "0.1000000000000000055"],
    ["currency", "XOF", "XAF"],
    ["operation", "DEPOSIT", "COLLECTION"],
    ["payee", "+2290161234567", "+2290161234568"],
    ["payee", "+2290161234567", "+2290171234567"],
    ["payee", "+2290161234567", "61234568"],
    ["payee", "+2290161234567", "+229 01-61.23.45.68"],
    ["payee", "+229  01 61 23 45 67", "+2290199999999"],
    ["payee", "+229 - 0161234567", "+2290199999999"],
    ["payee", "(+229)  0161234567", "+2290199999999"],
    ["payee", "0161234567.", "+2290199999999"],
    ["key", "Order-42", "order-42"],
    ["key", "Order-42", "Order-42 "]
  ] as const) {
    Test.effect(
      `may not have ${member} ${JSON.stringify(back)} for ${JSON.stringify(given)}`,
      function* () {
        assert.deepStrictEqual(yield* differing({ [member]: given }, { [member]: back }), [member])
      }
    )
  }

  Test.effect("lists every member that differs", function* () {
    const back = {
      amount: "1",
      currency: "USD",
      operation: "REFUND",
      payee: "+2290199999999",
      key: "other"
    }
    assert.deepStrictEqual(yield* differing({}, back), Object.keys(back))
  })

  const { key: _, ...compared } = sent
  for (const [call, back, tag] of [
    ["create", { key: sent.key }, "UnkeyedAppliedUnreadable"],
    ["create", compared, "UnkeyedOutcomeUnknown"],
    ["createWithoutText", compared, "UnkeyedAppliedUnreadable"],
    ...Record.keys(compared).flatMap((name) => [
      ["createWithoutText", { ...compared, [name]: null }, "UnkeyedOutcomeUnknown"] as const,
      ["createWithoutText", { [name]: sent[name] }, "UnkeyedOutcomeUnknown"] as const
    ])
  ] as const) {
    Test.effect(
      `of ${call} without an id ends with ${tag} if it has ${JSON.stringify(back)}`,
      function* () {
        const { gateway } = yield* FakeService.make([FakeService.answer(back, 201)])
        const error = yield* Effect.flip(gateway.calls(group)[call]({ payload: sent }))
        assert.strictEqual(error._tag, tag)
      }
    )
  }

  it.effect.prop(
    "may have additional zeros in its amount, but no other digits",
    [
      FastCheck.bigInt({ min: 0n, max: 10n ** 30n }),
      FastCheck.nat(8),
      FastCheck.integer({ min: 1, max: 9 })
    ],
    ([whole, zeros, digit]) =>
      Effect.gen(function* () {
        const amount = String(whole)
        const fraction = "0".repeat(zeros)
        assert.deepStrictEqual(
          yield* differing({ amount }, { amount: `${amount}.${fraction}0` }),
          []
        )
        assert.deepStrictEqual(
          yield* differing({ amount }, { amount: `${amount}.${fraction}${digit}` }),
          ["amount"]
        )
      })
  )
})

describe("Retry-After", () => {
  for (const status of [408, 429]) {
    Test.effect(`is read with status ${status}`, function* () {
      const { read } = yield* failed(FakeService.failure(status, { "retry-after": "7" }))
      assert.propertyVal(read, "retryAfterMillis", 7000)
    })
  }

  for (const [header, millis] of [
    ["0", 0],
    ["7", 7000],
    ["Sat, 31 Jan 2026 12:00:20 GMT", 20_000],
    ["Sat, 31 Jan 2026 11:00:00 GMT", 0],
    ["soon", undefined],
    ["", undefined],
    ["-7", undefined],
    [" 7 ", 7000],
    ["7\t", 7000],
    ["2.0", 2000],
    ["7.5", 7500],
    ["7.", undefined],
    ["7e3", undefined],
    ["Sat, 31 Jan 2026 12:00:20 GMT ", 20_000],
    // JavaScript parses this as a date.
    ["maintenance until 2099", undefined],
    ["Sat, 31 Foo 2026 12:00:20 GMT", undefined],
    ["7, 20", undefined],
    ["9007199254740993", Number.MAX_SAFE_INTEGER],
    ["9".repeat(400), Number.MAX_SAFE_INTEGER]
  ] as const) {
    Test.effect(`${JSON.stringify(header.slice(0, 40))} means ${millis} ms`, function* () {
      yield* TestClock.setTime(Date.parse("2026-01-31T12:00:00Z"))
      const { read } = yield* failed(FakeService.failure(503, { "retry-after": header }))
      assert(read._tag === "ServerError")
      assert.strictEqual(read.retryAfterMillis, millis)
    })
  }
})
