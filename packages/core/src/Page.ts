/**
 * Pages of lists.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The number of rows per page in a request: 1 to 100. The interface does not
 * state the default.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PerPage = Schema.Int.pipe(
  Schema.between(1, 100, { description: "a whole number from 1 to 100" })
)

/**
 * Makes a schema for a page of rows. The interface does not state how to request pages after the first.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = <Row extends Schema.Schema.Any>(row: Row) =>
  Schema.Struct({
    current_page: Schema.optional(Schema.Int),
    data: Schema.Array(row),
    per_page: Schema.optional(Schema.Int),
    total: Schema.optional(Schema.Int)
  })

/**
 * A page of rows.
 *
 * @since 0.1.0
 * @category models
 */
export interface Page<out Row> {
  readonly current_page?: number | undefined
  readonly data: ReadonlyArray<Row>
  readonly per_page?: number | undefined
  readonly total?: number | undefined
}
