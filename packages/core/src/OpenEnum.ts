/**
 * Open enums for responses: known literals or any other string, so that new values of the service do
 * not break decoding.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A string other than the known literals, in the type of an open enum.
 *
 * @since 0.1.0
 * @category models
 */
export type Other = string & {}

/**
 * Makes a schema for known literals or any other string. Editors complete the literals.
 *
 * @example
 * import * as OpenEnum from "@manilla/core/OpenEnum"
 *
 * const Status = OpenEnum.make("PENDING", "COMPLETED")
 * // Schema<"PENDING" | "COMPLETED" | Other, string>
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <const Known extends readonly [string, ...Array<string>]>(
  ...known: Known
): Schema.Schema<Known[number] | Other, string> =>
  Schema.String.annotations({
    description: `${known.map((value) => `"${value}"`).join(" or ")}, or another string`,
    examples: known
  })
