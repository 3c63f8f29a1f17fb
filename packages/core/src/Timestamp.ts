/**
 * Timestamps as the service sends them: ISO 8601 in UTC with microseconds, preserved exactly.
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import type * as Text from "./Text.js"
import * as guard from "./internal/body/guard.js"

/** A date-time with seconds and an offset, on a day that its month has. February may have 29 days. */
const pattern =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31|02-29)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const isLeapYear = (year: number): boolean =>
  year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

/**
 * Whether the text is an existing date-time. `Date.parse` accepts February 30 in some engines, and is
 * as slow as all other checks of a row together.
 */
const isMoment = (text: string): boolean =>
  pattern.test(text) && (!text.startsWith("02-29", 5) || isLeapYear(Number(text.slice(0, 4))))

/**
 * The schema of a timestamp in a request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Input extends Text.Text {}

/**
 * A timestamp in a request: an ISO 8601 date-time with seconds and an offset, such as `Z` or `+01:00`.
 * The interface does not state whether the service accepts other ISO 8601 forms.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Input: Input = Schema.String.pipe(
  guard.filter(isMoment, {
    description: `an ISO 8601 date-time with seconds and a zone, such as "2030-01-31T12:00:00Z" or "2030-01-31T13:00:00+01:00"`,
    jsonSchema: { format: "date-time" },
    arbitrary: () => (fc) =>
      fc
        .tuple(
          fc.date({ min: new Date(0), max: new Date("2999-12-31"), noInvalidDate: true }),
          fc.integer({ min: 0, max: 999 })
        )
        .map(([date, micros]) =>
          date.toISOString().replace("Z", `${String(micros).padStart(3, "0")}Z`)
        )
  })
)

/**
 * A timestamp in a response, preserved exactly, including microseconds.
 *
 * @example
 * import * as Timestamp from "@manilla/core/Timestamp"
 *
 * const at = Timestamp.Timestamp.make("2026-01-31T12:00:00.123456Z")
 * Timestamp.toEpochMicros(at)
 * // 1769860800123456n
 *
 * @since 0.1.0
 * @category schemas
 */
export const Timestamp = Input.pipe(Schema.brand("Timestamp"))

/**
 * @since 0.1.0
 * @category models
 */
export type Timestamp = typeof Timestamp.Type

/**
 * Converts a timestamp to microseconds since the Unix epoch. Truncates smaller fractions.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toEpochMicros = (timestamp: Timestamp): bigint => {
  const [, seconds = "", fraction = "", zone = "Z"] =
    /^(.{19})(?:\.(\d+))?(.+)$/.exec(timestamp) ?? []
  return BigInt(Date.parse(seconds + zone)) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, "0"))
}

/**
 * Converts a timestamp to a `DateTime`. Truncates to milliseconds.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toDateTime = (timestamp: Timestamp): DateTime.Utc =>
  DateTime.unsafeMake(Date.parse(timestamp))

/**
 * Converts a `DateTime` to a timestamp in UTC with microseconds.
 *
 * @since 0.1.0
 * @category conversions
 */
export const fromDateTime = (dateTime: DateTime.DateTime): Timestamp =>
  Timestamp.make(DateTime.formatIso(dateTime).replace("Z", "000Z"))
