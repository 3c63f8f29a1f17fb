/**
 * Scripted faults for the next requests, in the network or in the service. At most one fault applies to a
 * request: the earliest one added that selects it and is not used up.
 *
 * @since 0.1.0
 */
import * as Text from "@manilla/core/Text"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { headerText, numberBetween, whole } from "./internal/rules/limits.js"
import * as ServiceApi from "@manilla/service/ServiceApi"

/**
 * The name of an operation, such as `Payments.create`.
 *
 * @since 0.1.0
 * @category models
 */
export type OperationName = ServiceApi.OperationName

const isOperation = (name: string): name is OperationName => ServiceApi.operations.has(name)

const operationNames = Array.from(ServiceApi.operations.keys())

const Operation = Schema.String.pipe(
  Schema.filter(isOperation, {
    description: `one of ${operationNames.map((name) => `"${name}"`).join(", ")}`,
    jsonSchema: { enum: operationNames }
  })
)

/**
 * A number of requests, or all of them.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Count = Schema.Union(
  whole(Schema.Number, 1, 1_000_000),
  Schema.Literal("always")
).annotations({
  description: `a whole number from 1 to 1000000, or "always"`
})

const target = {
  /** Defaults to any request, including unknown routes. */
  operation: Schema.optional(Operation),
  /** A header that the request must have, with this value if one is given. */
  header: Schema.optional(
    Schema.Struct({ name: headerText(200), value: Schema.optional(Text.atMost(1000)) })
  ),
  /** A field that the JSON body must have, such as `payer.phone_number`, with exactly this value. */
  field: Schema.optional(
    Schema.Struct({
      name: Text.atMost(200),
      value: Schema.Union(
        Text.atMost(1000),
        Schema.Number.pipe(Schema.finite()),
        Schema.Boolean,
        Schema.Null
      )
    })
  ),
  /** How many requests the fault applies to. Defaults to 1. */
  count: Schema.optional(Count),
  /** The probability that the fault applies to a request that it selects. Defaults to 1. */
  probability: Schema.optional(numberBetween(0, 1)),
  /** The seed of the draws for `probability`. Defaults to 0. */
  seed: Schema.optional(whole(Schema.Number, 0, 2 ** 32 - 1))
}

const Target = Schema.Struct(target)

/**
 * The requests that a fault applies to: which ones, how many and how often.
 *
 * @since 0.1.0
 * @category models
 */
export interface Target extends Schema.Schema.Type<typeof Target> {}

/**
 * Declares a fault by its name, what it does, and its own members.
 *
 * @since 0.1.0
 * @category constructors
 */
export const declare = <const Name extends string, Fields extends Schema.Struct.Fields>(
  name: Name,
  description: string,
  fields: Fields
) =>
  Schema.Struct({
    fault: Schema.Literal(name),
    ...fields,
    ...target
  }).annotations({ description })

/** As large as a request of the control API can be, nearly. */
const maxBody = 8_388_608

/** Text, or bytes. As JSON, bytes are `{ "base64": … }`. */
const Body = Schema.Union(
  Text.atMost(maxBody),
  Schema.transform(
    Schema.Struct({ base64: Schema.Uint8ArrayFromBase64 }),
    Schema.Uint8ArrayFromSelf,
    { decode: ({ base64 }) => base64, encode: (base64) => ({ base64 }) }
  )
).annotations({
  description: `a string of at most ${maxBody} characters`,
  jsonSchema: { type: "string", maxLength: maxBody }
})

/** Defaults to `application/json`. */
const contentType = Schema.optional(headerText(200))

const answer = {
  /** `Retry-After`: seconds, or an HTTP date. */
  retry_after: Schema.optional(Schema.Union(whole(Schema.Number, 0, 86_400), headerText(100))),
  /** Defaults to an error envelope. */
  body: Schema.optional(Body),
  content_type: contentType,
  /** Whether the request is processed. Defaults to `false`. */
  processed: Schema.optional(Schema.Boolean)
}

/**
 * A fault, and the requests that it applies to.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Fault = Schema.Union(
  declare("drop_before", "Closes the connection before the request is processed", {}),
  declare(
    "drop_after",
    "Processes the request, then closes the connection before the response",
    {}
  ),
  declare("delay", "Processes the request at once and delays the response", {
    milliseconds: whole(Schema.Number, 0, 600_000)
  }),
  declare("status", "Responds with this status", {
    status: whole(Schema.Number, 200, 599),
    ...answer
  }),
  declare("body", "Processes the request and responds with the real status but this body", {
    body: Body,
    content_type: contentType
  })
)

/**
 * @since 0.1.0
 * @category models
 */
export type Fault = typeof Fault.Type

/**
 * Closes the connection before the request is processed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const dropBefore = (target: Target = {}): Fault => ({
  fault: "drop_before",
  ...target
})

/**
 * Processes the request, then closes the connection before the response.
 *
 * @example
 * import * as Fault from "@manilla/sandbox/Fault"
 * import * as Sandbox from "@manilla/sandbox/Sandbox"
 * import * as Effect from "effect/Effect"
 *
 * const threeLostResponses = Effect.flatMap(Sandbox.Sandbox, (sandbox) =>
 *   sandbox.faults.add(Fault.dropAfter({ operation: "Payments.create", count: 3 }))
 * )
 *
 * @since 0.1.0
 * @category constructors
 */
export const dropAfter = (target: Target = {}): Fault => ({
  fault: "drop_after",
  ...target
})

/**
 * Processes the request at once and delays the response in real time. A caller that disconnects meanwhile
 * does not undo it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const delay = (duration: Duration.DurationInput, target: Target = {}): Fault => ({
  fault: "delay",
  milliseconds: Duration.toMillis(duration),
  ...target
})

const Answer = Schema.Struct(answer)

/**
 * A response in place of the service's own.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer extends Schema.Schema.Type<typeof Answer> {}

/**
 * Responds with this status, from 200 to 599. The request is not processed unless `processed` is set.
 *
 * @since 0.1.0
 * @category constructors
 */
export const status = (code: number, options: Target & Answer = {}): Fault => ({
  fault: "status",
  status: code,
  ...options
})

/**
 * Processes the request and responds with the real status but this body, such as HTML, a truncated
 * envelope or an unknown shape.
 *
 * @since 0.1.0
 * @category constructors
 */
export const body = (
  body: string | Uint8Array,
  options: Target & Pick<Answer, "content_type"> = {}
): Fault => ({ fault: "body", body, ...options })
