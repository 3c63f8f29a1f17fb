/**
 * Moments as the service writes them: UTC, microseconds, `Z`.
 */
import * as Timestamp from "@manilla/core/Timestamp"
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

export const fromMillis = (millis: number): Timestamp.Timestamp =>
  Timestamp.fromDateTime(DateTime.unsafeMake(millis))

const isTimestamp = Schema.is(Timestamp.Timestamp)

/** A moment of a request as the service echoes it. */
export const fromInput = (input: string): Timestamp.Timestamp => {
  const given = Timestamp.Timestamp.make(input)
  const fraction = /\.(\d+)/.exec(input)?.[1] ?? ""
  const micros = fraction.slice(3, 6).padEnd(3, "0")
  const written = DateTime.formatIso(Timestamp.toDateTime(given)).replace("Z", `${micros}Z`)
  // A zone can carry the first or the last hours of the calendar beyond four-digit years.
  return isTimestamp(written) ? written : given
}
