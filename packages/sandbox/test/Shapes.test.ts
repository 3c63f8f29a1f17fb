/**
 * Compares responses on the wire with section 2 of the interface, member by member.
 */
import { assert, describe, it } from "@effect/vitest"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as Identifier from "@manilla/core/Identifier"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as ServiceApi from "@manilla/service/ServiceApi"
import { collected, key, layer, settled, tests } from "@manilla/test-support/Sandboxed"
import * as writes from "@manilla/test-support/Writes"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as envelope from "../src/internal/http/envelope.js"
import { credentialsBody, send, sendAuthorised, tokenUrl } from "./utils/harness.js"
import { names, operations } from "./utils/interface.js"

const test = tests()

const Envelope = Schema.parseJson(
  Schema.Struct({
    success: Schema.Literal(true),
    data: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    meta: Schema.Struct({ correlation_id: Schema.String })
  })
)

interface Parts {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Sends a request, and returns the data of its response. */
const answered = (name: string, { path: id = "", ...parts }: Parts = {}) =>
  Effect.gen(function* () {
    const operation = ServiceApi.operations.get(name)
    if (operation === undefined) return assert.fail(`${name} is not declared`)
    const method: HttpMethod = operation.method
    const { status, text } =
      operation.access === "credentials"
        ? yield* send(yield* tokenUrl, { method, ...parts })
        : yield* sendAuthorised(operation.path.replace(/:\w+/, id), { method, ...parts })
    assert.isTrue(status === 200 || status === 201, text)
    yield* Schema.decodeUnknown(Schema.parseJson(envelope.Success(operation.success)))(text)
    return (yield* Schema.decode(Envelope)(text)).data
  })

/** The paths of the members of a value, down to those that the interface names. */
const membersOf = (
  value: unknown,
  named: ReadonlyArray<string>,
  path = ""
): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((item) => membersOf(item, named, path))
  if (named.includes(path) || !Predicate.isRecord(value)) return [path]
  return Object.entries(value).flatMap(([name, member]) =>
    membersOf(member, named, path === "" ? name : `${path}.${name}`)
  )
}

/** Sends a request, and compares its response with the interface. */
const compared = (name: ServiceApi.OperationName, parts?: Parts) =>
  Effect.gen(function* () {
    const data = yield* answered(name, parts)
    const named = names(operations[name].answer)
    assert.deepStrictEqual([...new Set(membersOf(data, named))].sort(), named)
    return data
  })

const isUuid = Schema.is(Identifier.Uuid)

/** The value with its ids in capitals, in which they name the same resources. */
const inCapitals = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    isUuid(member) ? member.toUpperCase() : member
  )

/** Sends a good request of a write. */
const written = ({ keyField, name, operation, request }: writes.Write) =>
  Effect.gen(function* () {
    const { replay } = operation
    const own = keyField === undefined ? {} : { [keyField]: key }
    const headers: Record<string, string> =
      replay._tag === "Keyed" && replay.in === "header" ? { [replay.name]: key } : {}
    return yield* compared(name, { headers, body: inCapitals({ ...(yield* request), ...own }) })
  })

/** Makes a resource, and returns a name of it. */
const made = (name: ServiceApi.WriteName, member: "id" | "reference") =>
  Effect.forEach(
    writes.all.filter((write) => write.name === name),
    written
  ).pipe(Effect.map(([data]) => String(data?.[member])))

const refunded = Effect.gen(function* () {
  const { refund } = yield* Sandbox.Sandbox
  const { reference } = yield* refund({ transaction: (yield* collected("order")).reference })
  yield* settled
  return reference
})

const cardholder = Effect.flatMap(Sandbox.Sandbox, ({ cardholders }) =>
  Effect.map(cardholders, ([one]) => one?.id ?? assert.fail("no cardholder"))
)

type Read = Exclude<ServiceApi.OperationName, ServiceApi.WriteName>

/** The path parameter of each operation that reads, or what makes a row of its list. The compiler reports a missing one. */
const reads: Readonly<
  Record<Read, Effect.Effect<unknown, unknown, Effect.Effect.Context<ReturnType<typeof written>>>>
> = {
  "Token.obtain": Effect.void,
  "Payments.get": made("Payments.create", "id"),
  "Transactions.list": collected("order"),
  "Transactions.get": Effect.map(collected("order"), ({ reference }) => reference),
  "Payouts.get": made("Payouts.create", "reference"),
  "Refunds.get": refunded,
  "PaymentLinks.list": made("PaymentLinks.create", "id"),
  "PaymentLinks.get": made("PaymentLinks.create", "id"),
  "Cards.list": made("Cards.issue", "id"),
  "Cardholders.list": Effect.void,
  "Cardholders.get": cardholder,
  "Catalogue.list": Effect.void
}

describe("a response has exactly the documented members", () => {
  for (const write of writes.all) {
    it.effect(write.name, () => Effect.provide(written(write), layer()))
  }
  for (const [name, before] of Record.toEntries(reads)) {
    test(name, function* () {
      const path = String(inCapitals(String(yield* before)))
      const body = name === "Token.obtain" ? yield* credentialsBody : undefined
      yield* compared(name, { path, body })
    })
  }
})

describe("amounts and timestamps", () => {
  test("have a fixed format, whatever that of the request is", function* ({ paymentLinks: links }) {
    for (const [asked, shown] of [
      ["5", "5.0000"],
      ["005.5", "5.5000"],
      ["0", "0.0000"],
      ["9".repeat(60), `${"9".repeat(60)}.0000`]
    ] as const) {
      const { amount, created_at } = yield* links.create({
        amount: asked,
        currency: "XOF",
        country: "BJ"
      })
      assert.strictEqual(String(amount), shown)
      assert.match(String(created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    }
  })
})
