import { assert, describe } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import * as Pagination from "@manilla/core/Pagination"
import type { Page } from "@manilla/core/Page"
import { fieldsOf } from "@manilla/test-support/FakeService"
import * as Test from "@manilla/test-support/Test"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const down = new Errors.ServerError({ operation: "Rows.list", message: "down", status: 503 })

interface Service {
  /** The rows of each page. */
  readonly pages: ReadonlyArray<ReadonlyArray<number>>
  readonly total?: number
  readonly per_page?: number | undefined
  readonly failsAt?: number
  /** The page parameter of the service. */
  readonly knows?: string
}

interface Filter {
  readonly status?: string
}

const make = (service: Service) => {
  const asked: Array<Readonly<Record<string, string>>> = []
  /** The filter and the options of each request. */
  const given: Array<unknown> = []
  const call: Pagination.Source<Filter, number>["call"] = (
    { extraParams = {}, urlParams },
    { timeout }
  ) =>
    Effect.suspend((): Effect.Effect<Page<number>, Errors.ReadError> => {
      asked.push(extraParams)
      given.push({ urlParams, timeout })
      const current_page = Number(extraParams[service.knows ?? "page"] ?? 1)
      return current_page === service.failsAt
        ? Effect.fail(down)
        : Effect.succeed({
            current_page,
            data: service.pages[current_page - 1] ?? [],
            per_page: service.per_page,
            total: service.total
          })
    })
  return {
    ...Pagination.make<Filter, number>({ operation: "Rows.list", pageParameter: "page", call }),
    asked,
    given
  }
}

const collect = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)

describe("a paginated list", () => {
  Test.effect("ends when the total is reached, without another request", function* () {
    const { asked, stream } = make({ pages: [[1, 2], [3, 4], [5]], total: 5, per_page: 2 })
    assert.deepStrictEqual(yield* collect(stream({})), [1, 2, 3, 4, 5])
    assert.deepStrictEqual(asked, [{ page: "1" }, { page: "2" }, { page: "3" }])
  })

  for (const [per_page, pages] of [
    [2, [[1, 2], [], [5]]],
    [undefined, [[1, 2], [], [5]]],
    [2, [[], [3, 4], [5]]]
  ] as const) {
    Test.effect(`does not end at an empty page before the total; ${per_page} a page`, function* () {
      const { stream } = make({ pages, total: 6, per_page })
      assert.deepStrictEqual(yield* collect(stream({})), pages.flat())
    })
  }

  for (const per_page of [4, 0, -1, undefined]) {
    Test.effect(`returns all rows if the pages have 2 and per_page is ${per_page}`, function* () {
      const pages = [1, 3, 5].map((row) => [row, row + 1])
      const { asked, stream } = make({ pages, total: 6, per_page })
      assert.deepStrictEqual(yield* collect(stream({})), [1, 2, 3, 4, 5, 6])
      assert.lengthOf(asked, 3)
      assert.deepStrictEqual(yield* collect(stream({}, { from: 2 })), [3, 4, 5, 6])
    })

    Test.effect(`ends if fewer rows come than the total says; ${per_page} a page`, function* () {
      const { asked, stream } = make({ pages: [[1, 2], [3]], total: 6, per_page })
      assert.deepStrictEqual(yield* collect(stream({})), [1, 2, 3])
      assert.lengthOf(asked, 3)
    })
  }

  Test.effect("ends if no field tells whether there are more pages", function* () {
    const { pages } = make({ pages: [[1, 2]], total: 2 })
    const read = yield* collect(Stream.take(pages({}, { from: 7 }), 3))
    assert.strictEqual(read.length, 1)
  })

  Test.effect("without a total ends at the first empty page", function* () {
    const { asked, stream } = make({ pages: [[1, 2], [3]] })
    assert.deepStrictEqual(yield* collect(stream({})), [1, 2, 3])
    assert.strictEqual(asked.length, 3)
  })

  for (const from of [1.5, 0, -1, NaN, Infinity]) {
    Test.effect(`cannot start from page ${from}`, function* () {
      const { asked, stream } = make({ pages: [[1]], total: 1 })
      const error = yield* Effect.flip(collect(stream({}, { from })))
      assert(error._tag === "PageError" && error.cause._tag === "InvalidRequestError")
      assert.deepStrictEqual(fieldsOf(error.cause), ["from"])
      assert.deepStrictEqual(asked, [])
    })
  }

  Test.effect("may have one empty page", function* () {
    const { pages } = make({ pages: [], total: 0, per_page: 15 })
    assert.strictEqual((yield* collect(pages({}))).length, 1)
  })

  Test.effect("fails with the page to resume from, and can be resumed there", function* () {
    const service = { pages: [[1, 2], [3, 4], [5]], total: 5, per_page: 2 }
    const seen: Array<number> = []
    const broken = make({ ...service, failsAt: 2 })
    const error = yield* broken.stream({}).pipe(
      Stream.runForEach((row) => Effect.sync(() => seen.push(row))),
      Effect.flip
    )
    assert(error._tag === "PageError")
    assert.strictEqual(error.cause, down)
    const rest = yield* collect(make(service).stream({}, { from: error.page }))
    assert.deepStrictEqual([...seen, ...rest], [1, 2, 3, 4, 5])
  })

  for (const [title, asked, options] of [
    ["instead of the page to start from", 1, { from: 2 }],
    ["again, because the parameter has another name", 2, {}]
  ] as const) {
    Test.effect(`fails if the service returns its first page ${title}`, function* () {
      const service = { pages: [[1, 2], [3]], total: 3, per_page: 2, knows: "p" }
      const list = make(service)
      const error = yield* Effect.flip(collect(list.stream({}, options)))
      assert(error._tag === "PageParameterError")
      assert.strictEqual(error.page, 2)
      assert.lengthOf(list.asked, asked)
    })
  }

  for (const [what, pages, numbers] of [
    ["the same page repeatedly", [1, 1], undefined],
    ["the second page once more", [1, 2, 2], undefined],
    ["a page before the one that was requested", [1, 2, 3], [1, 2, 2]],
    ["a page after the one that was requested", [1, 3], [1, 3]]
  ] as const) {
    Test.effect(`fails if the service returns ${what}`, function* () {
      let asked = 0
      const { stream } = Pagination.make({
        operation: "Rows.list",
        pageParameter: "page",
        call: () =>
          Effect.sync(() => {
            const current_page = numbers?.[asked]
            return { data: [pages[asked++], "a row"], total: 60, current_page }
          })
      })
      const error = yield* Effect.flip(collect(stream({})))
      assert(error._tag === "PageParameterError")
      assert.include(error.message, "page")
      assert.strictEqual(error.page, pages.length)
      assert.strictEqual(asked, pages.length)
    })
  }

  Test.effect("reads rows that are nested too deeply to compare", function* () {
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    const { stream } = Pagination.make({
      operation: "Rows.list",
      pageParameter: "page",
      call: () => Effect.sync(() => ({ data: [JSON.parse(deep) as unknown], total: 2 }))
    })
    assert.lengthOf(yield* collect(stream({})), 2)
  })

  Test.effect("does not accept the page parameter in extraParams", function* () {
    const { asked, stream } = make({ pages: [[1], [2]], total: 2, per_page: 1 })
    const error = yield* Effect.flip(collect(stream({}, { extraParams: { page: "2" } })))
    assert(error._tag === "PageError" && error.cause._tag === "InvalidRequestError")
    assert.deepStrictEqual(fieldsOf(error.cause), ["extraParams.page"])
    assert.include(error.message, "from")
    assert.deepStrictEqual(asked, [])
  })

  Test.effect("asks for each page with all that the caller gave", function* () {
    const { asked, given, stream } = make({ pages: [[1], [2]], total: 2, per_page: 1 })
    const options = { extraParams: { search: "awa" }, timeout: "7 seconds" } as const
    const filter = { status: "COMPLETED" }
    yield* collect(stream(filter, options))
    assert.deepStrictEqual(asked, [
      { search: "awa", page: "1" },
      { search: "awa", page: "2" }
    ])
    const { timeout } = options
    assert.deepStrictEqual(given, [
      { urlParams: filter, timeout },
      { urlParams: filter, timeout }
    ])
  })
})

describe("without pageParameter", () => {
  const list = (total: number, per_page = 2) =>
    Pagination.make({
      operation: "Rows.list",
      pageParameter: undefined,
      call: () => Effect.succeed({ current_page: 1, data: [1, 2], per_page, total })
    })

  Test.effect("a list of one page is read", function* () {
    assert.deepStrictEqual(yield* collect(list(2).stream({})), [1, 2])
  })

  for (const per_page of [2, 10]) {
    Test.effect(`a longer list fails with PageParameterError; ${per_page} a page`, function* () {
      const error = yield* Effect.flip(collect(list(3, per_page).stream({})))
      assert(error._tag === "PageParameterError")
      assert.strictEqual(error.page, 2)
      assert.include(error.message, "pageParameter")
    })
  }
})
