/**
 * Validates durations, which may come from an untyped configuration.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/** The duration in milliseconds. Effect converts negative values and `NaN` to zero: here they are invalid. */
export const millisOf = (input: Duration.DurationInput): Option.Option<number> => {
  if ((typeof input === "number" || typeof input === "bigint") && !(input >= 0))
    return Option.none()
  if (typeof input === "string" && input.trim().startsWith("-")) return Option.none()
  if (Array.isArray(input) && !input.every((part) => part >= 0)) return Option.none()
  return Option.map(Duration.decodeUnknown(input), Duration.toMillis)
}

/** The rule of an invalid duration. */
export const rule = 'must be a duration, such as "30 seconds"'
