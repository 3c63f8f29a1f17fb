/**
 * Timestamps in the format of the service: UTC, microseconds, `Z`.
 */
import * as Timestamp from "@manilla/core/Timestamp"
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

export const fromMillis = (millis: number): Timestamp.Timestamp =>
  Timestamp.fromDateTime(DateTime.unsafeMake(millis))

const isTimestamp = Schema.is(Timestamp.Timestamp)

/** Converts a timestamp of a request to the format of the service. */
export const fromInput = (input: string): Timestamp.Timestamp => {
  const given = Timestamp.Timestamp.make(input)
  const fraction = /\.(\d+)/.exec(input)?.[1] ?? ""
  const micros = fraction.slice(3, 6).padEnd(3, "0")
  const written = DateTime.formatIso(Timestamp.toDateTime(given)).replace("Z", `${micros}Z`)
  // In UTC, a timestamp near the first or the last year may need more than four digits.
  return isTimestamp(written) ? written : given
}
