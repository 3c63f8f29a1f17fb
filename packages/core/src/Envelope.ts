/**
 * Every answer comes in an envelope (interface section 2.1).
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

/**
 * What an envelope says about the exchange itself. A correlation id is kept whatever its form: it
 * is there to be quoted to the service's support. A `meta` that cannot be read is read as empty: a
 * payment that was made does not turn into an error for its sake.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Meta = Schema.Struct({
  correlation_id: Schema.optional(Schema.NullOr(Schema.String))
}).annotations({ decodingFallback: () => Either.right({}) })

/**
 * The envelope around a resource or a page.
 *
 * @since 0.1.0
 * @category constructors
 */
export const Success = <Data extends Schema.Schema.Any>(data: Data) =>
  Schema.Struct({
    success: Schema.Literal(true),
    data,
    meta: Schema.optional(Meta)
  })

/**
 * The envelope around an error (interface section 7). Values of `code` are not shown; of `details`
 * only that it is an object or an array.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Failure = Schema.Struct({
  success: Schema.Literal(false),
  data: Schema.Struct({
    error: Schema.Struct({
      code: Schema.String,
      message: Schema.String,
      details: Schema.optional(
        Schema.Unknown.annotations({
          description: "an object or an array",
          jsonSchema: { type: ["object", "array"], additionalProperties: true }
        })
      )
    })
  }),
  meta: Schema.optional(Meta)
}).annotations({ identifier: "ErrorEnvelope" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Failure extends Schema.Schema.Type<typeof Failure> {}
