/**
 * Schemas of values with limits. Their descriptions complete the sentence "must be".
 */
import * as Schema from "effect/Schema"

/** Decodes a whole number from a number or a string. */
export const whole = <I>(
  from: Schema.Schema<number, I>,
  min: number,
  max: number,
  jsonSchema: object = {}
) =>
  from.pipe(
    Schema.filter((value) => Number.isInteger(value) && value >= min && value <= max, {
      description: `a whole number from ${min} to ${max}`,
      jsonSchema: { type: "integer", minimum: min, maximum: max, ...jsonSchema }
    })
  )

export const numberBetween = (min: number, max: number) =>
  Schema.Number.pipe(Schema.between(min, max, { description: `a number from ${min} to ${max}` }))

/** Text that an HTTP header can have. */
export const headerText = (max: number) =>
  Schema.String.pipe(
    Schema.pattern(new RegExp(`^[\\x20-\\x7e]{1,${max}}$`), {
      description: `1 to ${max} printable ASCII characters`
    })
  )

export const oneOf = <const Values extends ReadonlyArray<string | number>>(...values: Values) =>
  Schema.Literal(...values).annotations({
    description: `one of ${values.map((value) => JSON.stringify(value)).join(", ")}`
  })
