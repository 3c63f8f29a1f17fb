// Tables and lists from the declarations of operations, errors and outcomes.
import { Errors, type Operation, RetryPolicy } from "@manilla/core"
import { ServiceApi } from "@manilla/sandbox"
import { markdownTable } from "markdown-table"

const code = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

const table = (...rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  markdownTable(
    rows.map((row) => [...row]),
    { alignDelimiters: false }
  )

const replay = ({ replay }: Operation.Operation): string => {
  if (replay._tag !== "Keyed") return replay._tag
  return `Keyed by ${replay.in === "header" ? "the header" : "the body's"} \`${replay.name}\``
}

const access = ({ access }: Operation.Operation): string => {
  switch (access) {
    case "bearer":
      return "not shown"
    case "credentials":
      return "none: credentials in the body"
    default:
      return `\`${access}\``
  }
}

const pathOf = ({ access, method, path }: Operation.Operation): string =>
  `\`${method} ${access === "credentials" ? "{auth_url}" : ""}${path.replace(/:(\w+)/g, "{$1}")}\``

export const operations = (): string =>
  table(
    [
      "operation",
      "purpose",
      "method and path",
      "scope",
      "replay class",
      "documented error statuses"
    ],
    ...[...ServiceApi.operations].map(([name, operation]) => [
      `\`${name}\``,
      operation.summary,
      pathOf(operation),
      access(operation),
      replay(operation),
      operation.errors?.join(", ") || "not shown"
    ])
  )

export const retryRule = (): string =>
  table(
    ["fault", "outcome", "Safe", "Keyed", "Once"],
    ...Object.entries(RetryPolicy.table).map(([fault, { Keyed, Once, outcome, Safe }]) => [
      `\`${fault}\``,
      outcome,
      Safe,
      Keyed,
      Once
    ])
  )

/** The default policy, by member. */
export const defaults = (): string =>
  Object.entries(RetryPolicy.defaults)
    .map(([name, value]) => `- \`${name}\`: ${String(value).replace("millis", "ms")}`)
    .join("\n")

const tagsOf = (errors: ReadonlyArray<{ readonly _tag: string }>): string =>
  code(errors.map(({ _tag }) => _tag))

/** The errors of each replay class. */
export const errors = (): string =>
  [
    `- \`Safe\`: ${tagsOf(Errors.ReadError.members)}`,
    `- \`Keyed\`: ${tagsOf(Errors.KeyedWriteError.members)}`,
    `- \`Once\`: ${tagsOf(Errors.WriteError.members)}`
  ].join("\n")

type ErrorClass = (
  | typeof Errors.KeyedWriteError.members
  | typeof Errors.WriteError.members
  | typeof Errors.ReadError.members
)[number]

/** The fields of an error, except the known ones. */
const fieldsOf = ({ fields }: ErrorClass, ...known: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.keys(fields).filter((name) => !["_tag", "operation", "message", ...known].includes(name))

const tagged = (errors: ReadonlyArray<ErrorClass>, ...known: ReadonlyArray<string>): string =>
  errors
    .map((error) => {
      const own = fieldsOf(error, ...known)
      return `\`${error._tag}\`${own.length === 0 ? "" : ` (${code(own)})`}`
    })
    .join(", ")

/** The errors of a call, with their fields. */
export const tags = (): string => {
  const ofResponse = fieldsOf(Errors.BadRequestError)
  const isResponse = ({ fields }: ErrorClass) => ofResponse.every((name) => name in fields)
  const writes = [
    ...new Set<ErrorClass>([...Errors.KeyedWriteError.members, ...Errors.WriteError.members])
  ]
  const names = new Set<string>(writes.map(({ _tag }) => _tag))
  const others = writes.filter((error) => !isResponse(error))
  const reads = Errors.ReadError.members.filter(({ _tag }) => !names.has(_tag))
  return [
    `- the service refused the request: ${tagged(writes.filter(isResponse), ...ofResponse)}. Each has ${code(ofResponse)}`,
    `- other errors of a write: ${tagged(others)}`,
    `- of a read, and the \`cause\` of an \`OutcomeUnknown\`: ${tagsOf(reads)}`
  ].join("\n")
}
