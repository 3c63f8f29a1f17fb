/**
 * Countries as 2-character codes.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Text from "./Text.js"

/**
 * The schema of a country code in a request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Input extends Text.Text {}

/**
 * A country code in a request: exactly 2 characters.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Input: Input = Text.exactly(2, `a country code of exactly 2 characters, such as "BJ"`)

/**
 * A country code in a response.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Country = Input.pipe(Schema.brand("Country"))

/**
 * @since 0.1.0
 * @category models
 */
export type Country = typeof Country.Type
