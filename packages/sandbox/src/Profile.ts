/**
 * How a service behaves where the interface does not say it, as `manilla probe` of `@manilla/cli` writes it.
 *
 * @since 0.1.0
 */
import * as PerPage from "@manilla/core/Page"
import * as Schema from "effect/Schema"
import * as ControlApi from "./ControlApi.js"

/**
 * How a list is read in pages.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Page = Schema.Struct({
  /** The query parameter that selects a page. Use it as the `pageParameter` of a gateway. */
  parameter: Schema.optional(Schema.NonEmptyString),
  /** The rows of a page without `per_page`: 1 to 100. */
  default_per_page: Schema.optional(PerPage.PerPage)
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Page extends Schema.Schema.Type<typeof Page> {}

/**
 * The parts of a profile that a sandbox can have. The other parts of the file, such as its evidence, are ignored.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Profile = Schema.Struct({
  idempotency: Schema.optional(ControlApi.IdempotencyChange),
  page: Schema.optional(Page)
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Profile extends Schema.Schema.Type<typeof Profile> {}
