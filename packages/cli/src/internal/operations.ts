/** A command for each declared operation, derived from the declaration. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Gateway from "@manilla/core/Gateway"
import * as Operation from "@manilla/core/Operation"
import * as Page from "@manilla/core/Page"
import * as Pagination from "@manilla/core/Pagination"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { failed, ofCall } from "./Failure.js"
import * as fields from "./fields.js"
import * as inputs from "./inputs.js"
import * as output from "./output.js"
import * as service from "./service.js"
import * as writes from "./writes.js"

const readOf = (group: Operation.Group, name: string, operation: Operation.Operation) =>
  Effect.flatMap(Gateway.Gateway, (gateway) => {
    const reads = gateway.calls(Operation.group(group.name, { [name]: Operation.safe(operation) }))
    return Effect.orDie(Effect.fromNullable(reads[name]))
  })

/** The member by which the resources of a group are read. */
const keyOf = ({ operations }: Operation.Group): string =>
  fields.of(operations["get"]?.pathParams).some(({ path: [name] }) => name === "reference")
    ? "reference"
    : "id"

const limit = Options.integer("limit").pipe(
  Options.withDescription("print at most so many rows; those of all pages by default"),
  Options.optional
)

const params = Options.keyValueMap("param").pipe(
  Options.withDescription("a query parameter that the interface does not name, as name=value"),
  Options.map((given): Readonly<Record<string, string>> => Object.fromEntries(given)),
  Options.withDefault({})
)

const isPage = Schema.is(Page.of(Schema.Unknown))

/** The catalogue is one page, without the members of others. */
const pageIn = (data: unknown, { member }: fields.Rows): Page.Page<unknown> => {
  if (isPage(data)) return data
  const list = fields.valueIn(data, [member])
  const rows = Array.isArray(list) ? list : []
  return { data: rows, per_page: rows.length, total: rows.length }
}

const pageFailure = (error: Pagination.PageError | Pagination.PageParameterError) =>
  failed(
    error._tag === "PageParameterError"
      ? `${error.message} Set MANILLA_PAGE_PARAMETER, which \`manilla probe\` finds, or use --limit.`
      : error.message
  )

const listOf = (
  group: Operation.Group,
  name: string,
  operation: Operation.Operation,
  rows: fields.Rows
) => {
  const own = inputs.of(operation)
  const isPaged = operation.urlParams !== undefined
  return Command.make(
    name,
    {
      given: inputs.configOf(own),
      look: output.listOptions,
      limit,
      pages: isPaged ? { params } : {}
    },
    ({ given, limit, look, pages }) =>
      Effect.gen(function* () {
        const { pageParameter } = yield* Gateway.Gateway
        const call = yield* readOf(group, name, operation)
        const { stream } = Pagination.make<object, unknown>({
          operation: `${group.name}.${name}`,
          pageParameter,
          call: (request, options) =>
            Effect.map(call(isPaged ? request : {}, options), (data) => pageIn(data, rows))
        })
        const all = stream(inputs.partOf("urlParams", own, given.options), {
          extraParams: pages.params
        })
        const some = Option.match(limit, {
          onNone: () => all,
          onSome: (most) => Stream.take(all, most)
        })
        const read = Stream.mapError(some, pageFailure)
        yield* output.rows(read, rows.columns, keyOf(group), look)
      }).pipe(Effect.provide(service.live))
  )
}

const readCommandOf = (group: Operation.Group, name: string, operation: Operation.Operation) => {
  const own = inputs.of(operation)
  return Command.make(
    name,
    { given: inputs.configOf(own), look: output.options },
    ({ given, look }) =>
      Effect.gen(function* () {
        const call = yield* readOf(group, name, operation)
        const request = { path: inputs.partOf("path", own, given.path) }
        const data = yield* Effect.mapError(call(request), ofCall())
        yield* output.resource(data, fields.of(operation.success), look)
      }).pipe(Effect.provide(service.live))
  )
}

const access = ({ access }: Operation.Operation): string =>
  access === "bearer" ? "the interface does not state its scope" : `scope ${access}`

/** The command of an operation. */
export const commandOf = (group: Operation.Group, name: string, operation: Operation.Operation) => {
  const rows = fields.rowsOf(operation.success)
  const about = `${operation.summary} (${access(operation)})`
  if (operation.replay._tag !== "Safe") {
    return writes.commandOf({
      command: `${inputs.kebab(group.name)} ${name}`,
      about,
      group: group.name,
      name,
      operation,
      conclude: (data, look) => output.resource(data, fields.of(operation.success), look)
    })
  }
  return rows === undefined
    ? Command.withDescription(readCommandOf(group, name, operation), about)
    : Command.withDescription(listOf(group, name, operation, rows), about)
}
