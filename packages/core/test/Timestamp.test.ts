import { assert, describe, it } from "@effect/vitest"
import * as Timestamp from "@manilla/core/Timestamp"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"

const at = (text: string): Timestamp.Timestamp => Timestamp.Timestamp.make(text)
const decode = Schema.decodeUnknownEither(Timestamp.Timestamp)

const seconds = FastCheck.integer({ min: -62_135_596_800, max: 253_402_300_799 })
const micros = FastCheck.integer({ min: 0, max: 999_999 })
const written = (second: number, micro: number): string =>
  new Date(second * 1000).toISOString().replace(/\.\d+Z/, `.${String(micro).padStart(6, "0")}Z`)

describe("a timestamp", () => {
  for (const text of [
    "2026-01-31T12:00:00.123456Z",
    "2026-01-31T12:00:00.000000Z",
    "2026-01-31T12:00:00Z",
    "2026-01-31T12:00:00.1Z",
    "2026-01-31T12:00:00.123456789Z",
    "2026-01-31T12:00:00.123456+01:00",
    "2024-02-29T23:59:59.999999-11:30",
    "2000-02-29T00:00:00Z"
  ]) {
    it(`preserves ${text} exactly`, () => {
      const decoded = Either.getOrThrow(decode(text))
      assert.strictEqual(Schema.encodeSync(Timestamp.Timestamp)(decoded), text)
      assert.strictEqual(JSON.stringify(decoded), `"${text}"`)
    })
  }

  it.prop("encode(decode(x)) is x", [seconds, micros], ([second, micro]) => {
    const text = written(second, micro)
    assert.strictEqual(Schema.encodeSync(Timestamp.Timestamp)(at(text)), text)
  })

  for (const [input, why] of [
    ["2026-01-31T12:00:00", "has no zone"],
    ["2026-01-31", "has no time"],
    ["2026-01-31 12:00:00Z", "has a space for its T"],
    ["2026-13-01T00:00:00Z", "names a 13th month"],
    ["2026-00-10T00:00:00Z", "names a month 0"],
    ["2026-01-32T00:00:00Z", "names a 32nd day"],
    ["2026-02-30T00:00:00Z", "names a 30th of February"],
    ["2025-02-29T00:00:00Z", "names a leap day in a common year"],
    ["1900-02-29T00:00:00Z", "names a leap day in a century without one"],
    ["2026-01-31T25:00:00Z", "names an hour 25"],
    ["2026-01-31T12:60:00Z", "names a minute 60"],
    ["2026-01-31T12:00:00.Z", "has a point without digits"],
    ["2026-01-31T12:00:00z", "has a zone in lower case"],
    ["2026-01-31T12:00:00Z\n", "has a line end behind"],
    ["Sat, 31 Jan 2026 12:00:00 GMT", "is an HTTP date"],
    ["1769860800", "is a count of seconds"],
    ["", "is empty"],
    [1769860800, "is a number"],
    [null, "is null"]
  ] as const) {
    it(`is refused when it ${why}`, () => {
      assert(Either.isLeft(decode(input)))
      assert(!Schema.is(Timestamp.Input)(input))
    })
  }
})

describe("conversions", () => {
  it.prop("toEpochMicros is exact, also before 1970", [seconds, micros], ([second, micro]) => {
    assert.strictEqual(
      Timestamp.toEpochMicros(at(written(second, micro))),
      BigInt(second) * 1_000_000n + BigInt(micro)
    )
  })

  it("toEpochMicros accepts any number of digits and any offset", () => {
    const noon = 1_769_860_800_000_000n
    for (const [text, expected] of [
      ["2026-01-31T12:00:00Z", noon],
      ["2026-01-31T12:00:00.5Z", noon + 500_000n],
      ["2026-01-31T12:00:00.0000019Z", noon + 1n],
      ["2026-01-31T13:00:00.000001+01:00", noon + 1n],
      ["2026-01-31T06:30:00-05:30", noon]
    ] as const) {
      assert.strictEqual(Timestamp.toEpochMicros(at(text)), expected, text)
    }
  })

  it("toDateTime truncates to milliseconds", () => {
    const dateTime = Timestamp.toDateTime(at("2026-01-31T13:00:00.123999+01:00"))
    assert.strictEqual(DateTime.formatIso(dateTime), "2026-01-31T12:00:00.123Z")
  })

  it("fromDateTime writes microseconds in UTC", () => {
    const noon = DateTime.unsafeMake("2026-01-31T12:00:00.123Z")
    assert.strictEqual(Timestamp.fromDateTime(noon), "2026-01-31T12:00:00.123000Z")
    assert.strictEqual(
      Timestamp.fromDateTime(DateTime.unsafeSetZoneNamed(noon, "Africa/Porto-Novo")),
      "2026-01-31T12:00:00.123000Z"
    )
  })

  it.prop("fromDateTime and toDateTime are inverse", [seconds, micros], ([second, micro]) => {
    const dateTime = DateTime.unsafeMake(second * 1000 + Math.floor(micro / 1000))
    const back = Timestamp.toDateTime(Timestamp.fromDateTime(dateTime))
    assert.strictEqual(back.epochMillis, dateTime.epochMillis)
  })
})
