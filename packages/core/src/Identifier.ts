/**
 * Identifiers and references as branded strings, one brand per resource.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type * as Text from "./Text.js"
import * as guard from "./internal/body/guard.js"

/** Digit by digit: V8 matches a counted repetition at half the speed, and a page has hundreds of UUIDs. */
const uuidPattern = new RegExp(
  `^${[8, 4, 4, 4, 12].map((digits) => "[0-9a-fA-F]".repeat(digits)).join("-")}$`
)

/**
 * The schema of a UUID.
 *
 * @since 0.1.0
 * @category models
 */
export interface Uuid extends Text.Text {}

/**
 * A UUID of any version, in upper or lower case.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Uuid: Uuid = Schema.String.pipe(
  Schema.pattern(uuidPattern, {
    description: "a UUID",
    jsonSchema: { format: "uuid" },
    arbitrary: () => (fc) => fc.uuid()
  })
)

/**
 * Makes a schema for the UUIDs of one type of resource.
 *
 * @example
 * import * as Identifier from "@manilla/core/Identifier"
 *
 * const PaymentIntentId = Identifier.uuid("PaymentIntentId")
 * const id = PaymentIntentId.make("0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e9b")
 *
 * @since 0.1.0
 * @category constructors
 */
export const uuid = <const Brand extends string>(brand: Brand) => Uuid.pipe(Schema.brand(brand))

/**
 * Makes a schema for the references of one type of resource: non-empty strings in any format.
 *
 * @since 0.1.0
 * @category constructors
 */
export const reference = <const Brand extends string>(
  brand: Brand
): Schema.brand<Text.Text, Brand> =>
  Schema.String.pipe(
    guard.filter((text) => text.length > 0, {
      description: "a reference of at least 1 character",
      jsonSchema: { minLength: 1 },
      arbitrary: () => (fc) => fc.string({ minLength: 1 })
    }),
    Schema.brand(brand)
  )

/**
 * Identifies a request in the service's records: `X-Correlation-ID` in the request, and
 * `meta.correlation_id` in the response.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CorrelationId = uuid("CorrelationId")

/**
 * @since 0.1.0
 * @category models
 */
export type CorrelationId = typeof CorrelationId.Type

/**
 * Returns text as a correlation id. Throws a `ParseError` if it is not a UUID.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeCorrelationId = (text: string): CorrelationId => CorrelationId.make(text)
