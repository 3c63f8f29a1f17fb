/**
 * Hostile input is either refused by field name before it is sent, or arrives at the service
 * unchanged.
 */

import { assert, describe } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import { collection as payment, phone } from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import * as writes from "@manilla/test-support/Writes"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as AST from "effect/SchemaAST"
import { isDeepStrictEqual } from "node:util"
import * as hostile from "./utils/hostile.js"

const uuid = "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d"

const payout = {
  wallet_id: uuid,
  amount: "1000",
  currency: "XOF",
  country: "BJ",
  payment_method: "mtn_momo",
  destination: phone
}
/** A copy with another value at a path, without inherited members. */
const withAt = (target: object, path: ReadonlyArray<string>, value: unknown): object => {
  const [first = "", ...rest] = path
  const members: Record<string, unknown> = { ...target }
  const inner = members[first]
  members[first] =
    rest.length === 0
      ? value
      : withAt(typeof inner === "object" && inner !== null ? inner : {}, rest, value)
  return members
}

const valueAt = (target: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, name)
        ? Reflect.get(inner, name)
        : undefined,
    target
  )

/** A parsed JSON object has a prototype. */
const plain = (given: unknown): unknown =>
  typeof given === "object" && given !== null && Object.getPrototypeOf(given) === null
    ? { ...given }
    : given

/**
 * The paths in a body: each field, each member of an object field, and two arbitrary members of
 * metadata.
 */
const placesIn = (ast: AST.AST): ReadonlyArray<ReadonlyArray<string>> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures.flatMap(({ name, type }) =>
        [[], ...placesIn(type)].map((place) => [String(name), ...place])
      )
    case "Union":
      return ast.types.flatMap(placesIn)
    case "Declaration":
      return [["member"], ["deep", "member"]]
    default:
      return []
  }
}

const key = IdempotencyKey.make("hostile")

const sending = ({ send }: writes.Write, body: unknown) => hostile.endOf(() => send(body, key))

/** The problem with the handling of a value in a field, if any. */
const check = (
  end: hostile.End,
  sent: ReadonlyArray<hostile.Sent>,
  path: ReadonlyArray<string>,
  given: unknown
): string | undefined => {
  switch (end._tag) {
    case "Defect":
      return `a defect: ${end.words.slice(0, 200)}`
    case "Refused": {
      const top = path[0] ?? ""
      if (sent.length > 0) return "refused after it was sent"
      if (end.message.length > 10_000) return `refused with ${end.message.length} characters`
      return end.fields.length > 0 &&
        end.fields.every((field) => field === top || field.startsWith(`${top}.`))
        ? undefined
        : `refused with the fields ${end.fields.join()}`
    }
    default: {
      const [only, ...more] = sent
      if (only === undefined || more.length > 0) return `sent ${sent.length} requests`
      const arrived = valueAt(JSON.parse(only.body), path)
      return isDeepStrictEqual(arrived, plain(given)) ? undefined : "arrived changed"
    }
  }
}

describe("a hostile value in a field", () => {
  for (const write of writes.all) {
    const places = placesIn(
      write.operation.payload?.ast ?? assert.fail("the operation has no body")
    )
    for (const place of places.filter(([name]) => name !== write.keyField)) {
      Test.effect(`${write.name}, ${place.join(".")}, is refused or taken as it is`, function* () {
        const { layer, sent } = yield* hostile.make
        const wrong: Array<string> = []
        let refused = 0
        yield* Effect.gen(function* () {
          const body = yield* write.request
          for (const [name, given] of [
            ...Object.entries(hostile.texts),
            ...Object.entries(hostile.things).map(([name, make]) => [name, make()] as const)
          ]) {
            // JSON cannot represent undefined, so the member is absent.
            if (given === undefined) continue
            sent.length = 0
            const end = yield* sending(write, withAt(body, place, given))
            if (end._tag === "Refused") refused++
            const found = check(end, sent, place, given)
            if (found !== undefined) wrong.push(`${name}: ${found}`)
          }
        }).pipe(Effect.provide(layer))
        assert.deepStrictEqual(wrong, [])
        assert.isAbove(refused, 0)
      })
    }
  }
})

describe("stored values", () => {
  Test.effect("are read back unchanged: descriptions, metadata, destinations", function* () {
    const { layer, sandbox } = yield* hostile.make
    const short = Object.fromEntries(
      Object.entries(hostile.texts).filter(([, text]) => text.length < 1000)
    )
    const metadata = JSON.parse(
      JSON.stringify({ ...short, nested: { deep: [null, true, 2 ** 53 + 2, 5e-324, 1e308, []] } })
    ) as Record<string, never>
    Object.defineProperty(metadata, "__proto__", {
      value: { polluted: "yes", constructor: { prototype: { polluted: "yes" } } },
      enumerable: true,
      configurable: true,
      writable: true
    })
    for (const text of Object.values(short)) Object.assign(metadata, { [`key ${text}`]: text })
    yield* Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const payouts = yield* Payouts.Payouts
      const [xof] = yield* sandbox.wallets
      let count = 0
      for (const text of Object.values(short)) {
        const created = yield* payments.create(
          { ...payment, description: text, metadata },
          { key: IdempotencyKey.derive("payment", String(count)) }
        )
        assert.strictEqual(created.description, text)
        const read = yield* payments.get(created.id)
        assert.deepStrictEqual(read.metadata, metadata)
        assert.isTrue(Object.hasOwn(read.metadata ?? {}, "__proto__"))
        const sent = yield* payouts.create(
          { ...payout, wallet_id: xof?.id ?? "", destination: text, metadata },
          { key: IdempotencyKey.derive("payout", String(count++)) }
        )
        const { destination } = yield* payouts.get(sent.reference)
        for (const arrived of [sent.destination, destination]) {
          assert.strictEqual(arrived && Redacted.value(arrived), text)
        }
      }
      assert.isAbove(count, 20)
      const stored = yield* sandbox.paymentIntents
      assert.strictEqual(stored.length, count)
      for (const intent of stored) assert.deepStrictEqual(intent.metadata, metadata)
      for (const each of yield* sandbox.payouts) assert.deepStrictEqual(each.metadata, metadata)
      const whole = yield* payments.create(
        { ...payment, metadata: hostile.texts },
        { key: IdempotencyKey.derive("payment", "whole") }
      )
      assert.isTrue(isDeepStrictEqual(whole.metadata, hostile.texts))
    }).pipe(Effect.provide(layer))
    assert.strictEqual(Reflect.get({}, "polluted"), undefined)
  })
})

describe("a hostile key or correlation id", () => {
  Test.effect("is refused by name or arrives as one unchanged header", function* () {
    const { layer, sandbox, sent } = yield* hostile.make
    yield* Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const given = [
        ...Object.values(hostile.texts),
        ...Object.values(hostile.things).map((make) => make()),
        "a b",
        "a  b",
        '"quoted"',
        "a,b",
        "a;b=c",
        ",",
        ":",
        "a: b",
        "~".repeat(255),
        "~".repeat(256),
        " a",
        "a ",
        "a\t"
      ]
      for (const value of given) {
        for (const name of ["idempotency-key", "x-correlation-id"]) {
          if (name === "x-correlation-id" && value === undefined) continue
          sent.length = 0
          const options =
            name === "x-correlation-id" ? { key, correlationId: value } : { key: value }
          const end = yield* hostile.endOf(() =>
            payments.create(payment as never, options as never)
          )
          const what = `${name} ${String(typeof value === "string" ? value.slice(0, 40) : typeof value)}`
          if (end._tag === "Refused") {
            assert.deepStrictEqual(
              end.fields,
              [name === "idempotency-key" ? "key" : `headers.${name}`],
              what
            )
            assert.strictEqual(sent.length, 0)
          } else {
            assert.strictEqual(end._tag, "Success", what)
            assert.strictEqual(sent[0]?.headers[name], value, what)
            if (name === "idempotency-key") {
              const stored = yield* sandbox.paymentIntents
              assert.isTrue(
                stored.some((intent) => intent.idempotency_key === value),
                what
              )
            }
          }
        }
      }
    }).pipe(Effect.provide(layer))
  })
})

describe("a body that is not an object", () => {
  for (const write of writes.all) {
    Test.effect(`of ${write.name} is refused`, function* () {
      const { layer, sent } = yield* hostile.make
      yield* Effect.gen(function* () {
        for (const [name, make] of Object.entries(hostile.things)) {
          const end = yield* sending(write, make())
          assert.strictEqual(end._tag, "Refused", `${name} ${JSON.stringify(end)}`)
        }
        assert.lengthOf(sent, 0)
        const full = yield* write.request
        // The request may refer to what other requests have made.
        const before = sent.length
        for (const extra of ["__proto__", "constructor", "toString", "idempotency-key", "a\r\nb"]) {
          const body = Object.defineProperty({ ...full }, extra, { value: {}, enumerable: true })
          const end = yield* sending(write, body)
          assert(end._tag === "Refused", extra)
          assert.deepStrictEqual(end.fields, [extra])
        }
        assert.lengthOf(sent, before)
      }).pipe(Effect.provide(layer))
    })
  }
})
