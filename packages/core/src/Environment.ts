/**
 * The environment that an application, its token and its resources belong to (interface section 1).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as OpenEnum from "./OpenEnum.js"

/**
 * The environments that a request or a configuration may name.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Input = Schema.Literal("SANDBOX", "LIVE")

/**
 * An environment in an answer.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Environment = OpenEnum.make(...Input.literals)

/**
 * @since 0.1.0
 * @category models
 */
export type Environment = typeof Environment.Type
