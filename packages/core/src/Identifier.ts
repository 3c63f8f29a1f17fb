/**
 * Identifiers and references: strings that differ in type, so that one resource's does not fit
 * where another's is asked (interface section 2.1).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as check from "./internal/check.js"

/**
 * Any UUID, in either case and of any version.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Uuid = Schema.String.pipe(
  Schema.pattern(/^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, {
    description: "a UUID",
    jsonSchema: { format: "uuid" },
    arbitrary: () => (fc) => fc.uuid()
  })
)

/**
 * A UUID of one kind of resource.
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
 * A reference of one kind of resource: a non-empty string. Its prefix is the service's business.
 *
 * @since 0.1.0
 * @category constructors
 */
export const reference = <const Brand extends string>(brand: Brand) =>
  Schema.String.pipe(
    check.filter((text) => text.length > 0, {
      description: "a reference of at least 1 character",
      jsonSchema: { minLength: 1 },
      arbitrary: () => (fc) => fc.string({ minLength: 1 })
    }),
    Schema.brand(brand)
  )

/**
 * What ties a request to the service's own records: `X-Correlation-ID` on the way out, and
 * `meta.correlation_id` on the way back.
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
