/**
 * The envelope of every response (interface section 2.1).
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

/**
 * The metadata of a response. The correlation id, for the service's support, may have any format. An
 * invalid `meta` decodes to an empty object, so that it does not turn a payment into an error.
 */
export const Meta = Schema.Struct({
  correlation_id: Schema.optional(Schema.NullOr(Schema.String))
}).annotations({ decodingFallback: () => Either.right({}) })

/**
 * Makes a schema for the envelope of a resource or a page.
 */
export const Success = <Data extends Schema.Schema.Any>(data: Data) =>
  Schema.Struct({
    success: Schema.Literal(true),
    data,
    meta: Schema.optional(Meta)
  })

/**
 * The envelope of an error (interface section 7). The interface does not list the values of `code` or
 * the members of `details`.
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

export interface Failure extends Schema.Schema.Type<typeof Failure> {}
