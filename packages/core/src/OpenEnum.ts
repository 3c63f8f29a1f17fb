/**
 * Response enums stay open: the literals that the interface shows, or any other string. A value
 * that the service adds tomorrow never breaks a decode.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A string that is not among the known literals, seen through the type of an open enum.
 *
 * @since 0.1.0
 * @category models
 */
export type Other = string & {}

/**
 * A schema for one of the known literals or any other string. Editors offer the literals.
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
 * @since 0.1.0
 * @category models
 */
export interface OpenEnum<Known extends string> extends Schema.Schema<Known | Other, string> {
  readonly known: ReadonlyArray<Known>
}

/**
 * One arm for each known literal, and `other` for what is not known yet.
 *
 * @example
 * import * as OpenEnum from "@manilla/core/OpenEnum"
 *
 * const Status = OpenEnum.make("PENDING", "COMPLETED")
 * const label = OpenEnum.match(Status, {
 *   PENDING: () => "on its way",
 *   COMPLETED: () => "done",
 *   other: (status) => `the service says ${status}`
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
