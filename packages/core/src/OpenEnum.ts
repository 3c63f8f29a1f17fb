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
): OpenEnum<Known[number]> =>
  Object.assign(
    Schema.String.annotations({
      description: `${known.map((value) => `"${value}"`).join(" or ")}, or another string`,
      examples: known
    }),
    { known }
  )

/**
 * The schema of an open enum.
 *
 * @since 0.1.0
 * @category models
 */
export interface OpenEnum<Known extends string> extends Schema.Schema<Known | Other, string> {
  readonly known: ReadonlyArray<Known>
}

/**
 * Makes a function that matches a value: it calls the function of a known literal, or `other` for any
 * other string.
 *
 * @example
 * import * as OpenEnum from "@manilla/core/OpenEnum"
 *
 * const Status = OpenEnum.make("PENDING", "COMPLETED")
 * const label = OpenEnum.match(Status, {
 *   PENDING: () => "in progress",
 *   COMPLETED: () => "done",
 *   other: (status) => `unknown status ${status}`
 * })
 *
 * @since 0.1.0
 * @category pattern matching
 */
export const match =
  <Known extends string, A>(
    self: OpenEnum<Known>,
    arms: { readonly [K in Known]: () => A } & { readonly other: (value: string) => A }
  ) =>
  (value: Known | Other): A => {
    const known = self.known.find((literal) => literal === value)
    return known === undefined ? arms.other(value) : arms[known]()
  }
