// Tables and lists from the declarations of operations, errors and scenarios.
import { Errors, type Operation, RetryPolicy } from "@manilla/core"
import { Scenario } from "@manilla/sandbox"
import { ServiceApi } from "@manilla/service"
import { markdownTable } from "markdown-table"

const code = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

export const table = (...rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  markdownTable(
    rows.map((row) => [...row]),
    { alignDelimiters: false }
  )

const replay = ({ replay }: Operation.Operation): string => {
  if (replay._tag !== "Keyed") return replay._tag
  return `Keyed by ${replay.in === "header" ? "the header" : "the body's"} \`${replay.name}\``
}

const special: Readonly<Record<string, string>> = {
  bearer: "not shown",
  credentials: "none: credentials in the body"
}

const access = ({ access }: Operation.Operation): string => special[access] ?? `\`${access}\``

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

/** The fields of each write that can have a magic value. */
export const magicFields = (): string =>
  table(
    ["operation", "amount", "phone number"],
    ...[...ServiceApi.operations.keys()].flatMap((name) => {
      const fields = Scenario.magicFields(name)
      const phone = fields?.phone === undefined ? "" : code([fields.phone])
      return fields === undefined ? [] : [[code([name]), code([fields.amount]), phone]]
    })
  )

const comparisons: Readonly<Record<Operation.ResponseCheck["as"], string>> = {
  amount: "by value",
  code: "without regard to case",
  kind: "if it is one of the interface's names",
  phone: "by the last eight digits",
  text: "exactly"
}

/** The fields that the response to each write must repeat. */
export const checks = (): string =>
  table(
    ["write", "compared fields"],
    ...[...ServiceApi.operations]
      .filter(([, { replay }]) => replay._tag !== "Safe")
      .map(([name, { checks }]) => [
        code([name]),
        checks?.members.map(({ as, field }) => `\`${field}\` ${comparisons[as]}`).join("; ") ?? ""
      ])
  )

/** The scenarios that a request to the sandbox can ask for. */
export const scenarios = (): string =>
  table(
    ["name", "phone number", "amount", "operations", "effect"],
    ...Scenario.scenarios.map((one) => [
      code([one.name]),
      code([Scenario.phoneNumber(one)]),
      code([Scenario.amount(one)]),
      one.operations === undefined ? "all" : code(one.operations),
      one.summary + (Scenario.isOncePerKey(one) ? "; once per key" : "")
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

const unions = {
  Safe: Errors.ReadError.members,
  Keyed: Errors.KeyedWriteError.members,
  Once: Errors.WriteError.members
}

/** The errors, with the replay classes whose operations fail with them, and their fields. */
export const errors = (): string => {
  const all = Object.entries(unions).flatMap(([replay, members]) =>
    members.map(({ _tag, fields }) => ({ replay, _tag, fields: Object.keys(fields) }))
  )
  const common = ["_tag", "operation", "message"]
  return table(
    ["error", "of", "fields"],
    ...[...new Set(all.map(({ _tag }) => _tag))].map((tag) => {
      const own = all.filter(({ _tag }) => _tag === tag)
      const fields = own[0]?.fields.filter((field) => !common.includes(field)) ?? []
      return [`\`${tag}\``, own.map(({ replay }) => replay).join(", "), code(fields)]
    })
  )
}
