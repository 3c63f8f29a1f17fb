/**
 * Currencies as 3-character codes.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Text from "./Text.js"

/**
 * The schema of a currency code in a request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Input extends Text.Text {}

/**
 * A currency code in a request: exactly 3 characters.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Input: Input = Text.exactly(
  3,
  `a currency code of exactly 3 characters, such as "XOF"`
)

/**
 * A currency code in a response.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Currency = Input.pipe(Schema.brand("Currency"))

/**
 * @since 0.1.0
 * @category models
 */
export type Currency = typeof Currency.Type
