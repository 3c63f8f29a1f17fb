/**
 * Durations as callers write them, who may have them from a configuration that nobody typed.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/** Milliseconds. Effect takes what is below zero, or `NaN`, for zero: here it is none. */
export const millisOf = (input: Duration.DurationInput): Option.Option<number> => {
  if ((typeof input === "number" || typeof input === "bigint") && !(input >= 0))
    return Option.none()
  if (typeof input === "string" && input.trim().startsWith("-")) return Option.none()
  if (Array.isArray(input) && !input.every((part) => part >= 0)) return Option.none()
  return Option.map(Duration.decodeUnknown(input), Duration.toMillis)
}

/** What a field that is none must be. */
export const rule = 'must be a duration, such as "30 seconds"'
