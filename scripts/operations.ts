// Writes docs/operations.md: every operation and the retry rule, from the declarations. With
// --check, fails when the file is not what they say.
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Errors, Operation, RetryPolicy } from "@manilla/core"
import { ServiceApi } from "@manilla/sandbox"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import { emit } from "./generated.js"

const replay = (operation: Operation.Operation): string => {
  const { replay } = operation[Operation.TypeId]
  if (replay._tag !== "Keyed") return replay._tag
  return `Keyed by ${replay.in === "header" ? "the header" : "the body's"} \`${replay.name}\``
}

const access = (operation: Operation.Operation): string => {
  const { access } = operation[Operation.TypeId]
  switch (access) {
    case "bearer":
      return "not shown"
    case "credentials":
      return "none: credentials in the body"
    default:
      return `\`${access}\``
  }
}

const statuses = ({ errorSchema: { ast } }: Operation.Operation): string => {
  const members = (ast._tag === "Union" ? ast.types : [ast]).filter(
    (member) => member._tag !== "NeverKeyword"
  )
  return members.length === 0
    ? "not shown"
    : members.map((member) => HttpApiSchema.getStatusErrorAST(member)).join(", ")
}

const rows = [...ServiceApi.operations].map(([name, operation]) => {
  const summary = Option.getOrElse(
    Context.getOption(operation.annotations, OpenApi.Summary),
    () => ""
  )
  const path = operation.path.replace(/:(\w+)/g, "{$1}")
  const root = operation[Operation.TypeId].access === "credentials" ? "{auth_url}" : ""
  return `| \`${name}\` | ${summary} | \`${operation.method} ${root}${path}\` | ${access(operation)} | ${replay(operation)} | ${statuses(operation)} |`
})

const rules = Object.entries(RetryPolicy.table).map(
  ([fault, rule]) =>
    `| \`${fault}\` | ${rule.outcome} | ${rule.Safe} | ${rule.Keyed} | ${rule.Once} |`
)

const names = (union: { readonly members: ReadonlyArray<{ readonly _tag: string }> }): string =>
  union.members.map(({ _tag }) => `\`${_tag}\``).join(", ")

const { attempts, base, cap, attemptTimeout, deadline, budget } = RetryPolicy.defaults

const content = `# Operations

Generated from the declarations by \`npm run operations\`. "Not shown" is what the service's interface
leaves open; Manilla does not invent it.

## The ${rows.length} operations

| operation | what it does | method and path | scope | replay class | promised error statuses |
| --- | --- | --- | --- | --- | --- |
${rows.join("\n")}

A \`Safe\` operation fails with ${names(Errors.ReadError)}.

Any other fails with ${names(Errors.WriteError)}. \`OutcomeUnknown\`: it may have been applied;
\`AppliedUnreadable\`: it was; any other: it was not.

## The retry rule

What one attempt can come to, what that says of the operation, and what is done next for each replay
class: \`retry\` after a back-off, \`renew\` the token and try once more, or \`stop\`.

| fault | the operation was | Safe | Keyed | Once |
| --- | --- | --- | --- | --- |
${rules.join("\n")}

Once an attempt of a write may have been applied, only a readable success makes the call certain
again: every later refusal is the cause of an \`OutcomeUnknown\`.

Unless a gateway is told otherwise: ${attempts} attempts within ${deadline}, ${attemptTimeout} each; a back-off drawn
from zero up to ${base.toString().replace("millis", "ms")}, doubled each time up to ${cap}; \`Retry-After\` honoured up to the deadline; and at
most ${budget} retries beyond what successes earn back.
`

emit("docs/operations.md", content, "operations")
