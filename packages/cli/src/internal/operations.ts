/** A command for each declared operation, derived from the declaration. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Gateway from "@manilla/core/Gateway"
import * as Operation from "@manilla/core/Operation"
import * as Pagination from "@manilla/core/Pagination"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Stream from "effect/Stream"
import * as calls from "./calls.js"
import { failed, ofCall } from "./failure.js"
import * as fields from "./fields.js"
import * as inputs from "./inputs.js"
import * as output from "./output.js"
import * as service from "./service.js"

const limit = Options.integer("limit").pipe(
  Options.filterMap(
    Option.liftPredicate((rows) => rows > 0),
    "--limit must be at least 1"
  ),
  Options.withDescription("the largest number of rows to print; by default the rows of all pages"),
  Options.optional
)

const params = Options.keyValueMap("param").pipe(
  Options.withDescription("a query parameter that the interface does not name, as name=value"),
  Options.map((given): Readonly<Record<string, string>> => Object.fromEntries(given)),
  Options.withDefault({})
)

const pageFailure = (error: Pagination.PageError | Pagination.PageParameterError) =>
  failed(
    error._tag === "PageParameterError"
      ? `${error.message} Set MANILLA_PAGE_PARAMETER, which \`manilla probe\` finds, or use --limit.`
      : error.message
  )

const listOf = (
  group: Operation.Group,
  verb: string,
  operation: Operation.Operation,
  { columns, member }: fields.Rows
) => {
  const own = inputs.of(operation)
  const config = { given: inputs.configOf(own), look: output.listOptions, limit, params }
  return Command.make(verb, config, ({ given, limit, look, params }) =>
    Effect.gen(function* () {
      const { pageParameter } = yield* Gateway.Gateway
      const call = yield* calls.callOf(group.name, verb, Operation.safe(operation))
      const { stream } = Pagination.make<object, unknown>({
        operation: `${group.name}.${verb}`,
        pageParameter,
        call: ({ extraParams }, options) =>
          call({ urlParams: {}, ...inputs.requestOf(own, given), extraParams }, options)
      })
      const pages = Stream.mapError(stream({}, { extraParams: params }), pageFailure)
      const read = Effect.mapError(call({ extraParams: params }), ofCall)
      const catalogue = Effect.map(read, (data) => fields.listIn(data, [member]))
      // The catalogue has no pages.
      const rows = operation.urlParams === undefined ? Stream.fromIterableEffect(catalogue) : pages
      const most = Option.getOrElse(limit, () => Number.MAX_SAFE_INTEGER)
      const key = inputs.keyOf(group.operations["get"])
      yield* output.rows(Stream.take(rows, most), columns, key, look)
    }).pipe(Effect.provide(service.live))
  )
}

const scopeOf = ({ access }: Operation.Operation): string =>
  access === "bearer" ? "the interface does not state its scope" : `scope ${access}`

const ofOperation = (group: Operation.Group, verb: string, operation: Operation.Operation) => {
  const rows = fields.rowsOf(operation.success)
  const about = `${operation.summary} (${scopeOf(operation)})`
  const name = `${inputs.kebab(group.name)} ${verb}`
  const isRead = operation.replay._tag === "Safe"
  const command =
    isRead && rows !== undefined
      ? Command.withDescription(listOf(group, verb, operation, rows), about)
      : calls.commandOf({ name, about, group: group.name, verb, operation })
  return { name, about, isRead, command }
}

/** The commands of the main gateway. */
export const commands = ServiceApi.mainGroups.flatMap((group: Operation.Group) => [
  ...calls.followed
    .filter((call) => call.group === group.name)
    .map((call) => ({ ...call, isRead: false, command: calls.commandOf(call) })),
  ...Record.toEntries(group.operations).map(([verb, operation]) =>
    ofOperation(group, verb, operation)
  )
])
