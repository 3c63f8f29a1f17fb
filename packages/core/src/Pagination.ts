/**
 * Reads lists: the first page, or all pages as a stream that can be resumed at the page that failed.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Errors from "./Errors.js"
import * as messages from "./internal/text/messages.js"
import * as Issues from "./Issues.js"
import * as Metadata from "./Metadata.js"
import type * as Operation from "./Operation.js"
import type { Page } from "./Page.js"

/**
 * A page could not be read. The pages before it are valid; resume with `from: page`.
 *
 * @since 0.1.0
 * @category errors
 */
export class PageError extends Schema.TaggedError<PageError>("@manilla/core/PageError")(
  "PageError",
  {
    operation: Schema.String,
    message: Schema.String,
    /** The page that failed, to resume from. */
    page: Schema.Int,
    cause: Errors.ReadError
  }
) {}

/**
 * The next page cannot be requested: `pageParameter` in the gateway's options is missing or wrong. The
 * interface does not state the name of this query parameter.
 *
 * @since 0.1.0
 * @category errors
 */
export class PageParameterError extends Schema.TaggedError<PageParameterError>(
  "@manilla/core/PageParameterError"
)("PageParameterError", {
  operation: Schema.String,
  message: Schema.String,
  /** The requested page. */
  page: Schema.Int
}) {}

/**
 * Options of a list, besides its filter.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListOptions extends Operation.CallOptions {
  /** Query parameters that the interface does not define. */
  readonly extraParams?: Readonly<Record<string, string>> | undefined
}

/**
 * Options of a stream of pages or rows.
 *
 * @since 0.1.0
 * @category models
 */
export interface StreamOptions extends ListOptions {
  /** The first page to read; 1 by default. After a {@link PageError}, its `page`. */
  readonly from?: number | undefined
}

/**
 * The functions that read a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface List<in Filter, out Row> {
  /** Reads the first page. */
  readonly list: (
    filter?: Filter,
    options?: ListOptions
  ) => Effect.Effect<Page<Row>, Errors.ReadError>

  /**
   * Reads all pages in order. More than one page requires `pageParameter` in the gateway's options;
   * without it the stream fails with `PageParameterError` after the first page. A `PageError` has the
   * page to resume from.
   */
  readonly pages: (
    filter?: Filter,
    options?: StreamOptions
  ) => Stream.Stream<Page<Row>, PageError | PageParameterError>

  /** The rows of all pages. Has the errors of `pages`. */
  readonly stream: (
    filter?: Filter,
    options?: StreamOptions
  ) => Stream.Stream<Row, PageError | PageParameterError>
}

/**
 * The operation that reads a page, and the page parameter.
 *
 * @since 0.1.0
 * @category models
 */
export interface Source<in Filter, out Row> {
  /** The name of the operation, such as `Transactions.list`. */
  readonly operation: string
  /** `pageParameter` of the gateway's options. */
  readonly pageParameter: string | undefined
  readonly call: (
    request: {
      readonly urlParams: Filter
      readonly extraParams: ListOptions["extraParams"]
    },
    options: Operation.CallOptions
  ) => Effect.Effect<Page<Row>, Errors.ReadError>
}

/**
 * Makes the functions that read a list.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Filter extends object, Row>({
  call,
  operation,
  pageParameter
}: Source<Partial<Filter>, Row>): List<Filter, Row> => {
  const list = (filter: Partial<Filter> = {}, options: ListOptions = {}) =>
    call({ urlParams: filter, extraParams: options.extraParams }, options)

  const wrongPage = (page: number, received: string) => {
    const message = messages.wrongPage(operation, page, received, pageParameter)
    return new PageParameterError({ operation, message, page })
  }

  const unread = (page: number) => (cause: Errors.ReadError) => {
    const message = messages.pageUnread(operation, page, cause)
    return new PageError({ operation, message, page, cause })
  }

  const notSent = (field: string, rule: string) =>
    Stream.fail(unread(1)(Issues.invalidRequest(operation, [{ field, rule }])))

  const readPage = (filter: Partial<Filter>, options: StreamOptions, page: number) =>
    Effect.gen(function* () {
      if (page !== 1 && pageParameter === undefined) {
        const message = messages.pageNotSelectable(operation, page)
        return yield* new PageParameterError({ operation, message, page })
      }
      const selected = pageParameter === undefined ? {} : { [pageParameter]: String(page) }
      const extraParams = { ...options.extraParams, ...selected }
      const read = yield* Effect.mapError(list(filter, { ...options, extraParams }), unread(page))
      // The service ignores an unknown parameter and returns the first page each time.
      if (read.current_page !== undefined && read.current_page !== page) {
        return yield* wrongPage(page, `page ${read.current_page}`)
      }
      return read
    })

  const pages = (
    filter: Partial<Filter> = {},
    options: StreamOptions = {}
  ): Stream.Stream<Page<Row>, PageError | PageParameterError> => {
    const { extraParams, from = 1 } = options
    if (!Number.isSafeInteger(from) || from < 1) {
      return notSent("from", `must be a whole number of at least 1, but is ${from}`)
    }
    if (pageParameter !== undefined && extraParams?.[pageParameter] !== undefined) {
      return notSent(`extraParams.${pageParameter}`, 'selects a page: use "from" instead')
    }
    const previous: ReadonlyArray<Row> = []
    return Stream.paginateEffect({ page: from, rows: 0, size: 0, previous }, (state) =>
      Effect.gen(function* () {
        const { page } = state
        const read = yield* readPage(filter, options, page)
        if (read.data.length > 0 && Metadata.Equivalence(read.data, state.previous)) {
          return yield* wrongPage(page, `page ${page - 1} again`)
        }
        const rows = state.rows + read.data.length
        const size = Math.max(state.size, read.data.length, read.per_page ?? 0)
        const next = { page: page + 1, rows, size, previous: read.data }
        return [read, isLast(read, page, rows, size) ? Option.none() : Option.some(next)] as const
      })
    )
  }

  return {
    list,
    pages,
    stream: (filter, options) =>
      Stream.flattenIterables(Stream.map(pages(filter, options), ({ data }) => data))
  }
}

/**
 * A list ends when it has returned `total` rows, or at an empty page after which the largest page leaves no room for
 * more: `per_page` proves nothing, because a service may return smaller pages.
 */
const isLast = <Row>(
  { data, total }: Page<Row>,
  page: number,
  rows: number,
  size: number
): boolean =>
  data.length > 0 ? total !== undefined && rows >= total : size === 0 || page * size >= (total ?? 0)
