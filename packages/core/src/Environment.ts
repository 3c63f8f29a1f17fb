/**
 * The environment of an application, its tokens and its resources.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as OpenEnum from "./OpenEnum.js"

/**
 * An environment in a request or in the configuration: `SANDBOX`, or `LIVE` for real money.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Input = Schema.Literal("SANDBOX", "LIVE")

/**
 * An environment in a response: a known one, or another string.
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
