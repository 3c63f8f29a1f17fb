// Writes docs/operations.md: every operation and the retry rule, from the declarations. With
// --check, fails when the file is not what they say.
import { Errors, type Operation, RetryPolicy } from "@manilla/core"
import { ServiceApi } from "@manilla/sandbox"
import { emit } from "./generated.js"

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

const statuses = ({ errors = [] }: Operation.Operation): string =>
  errors.length === 0 ? "not shown" : errors.join(", ")

const rows = [...ServiceApi.operations].map(([name, operation]) => {
  const path = operation.path.replace(/:(\w+)/g, "{$1}")
  const root = operation.access === "credentials" ? "{auth_url}" : ""
  return `| \`${name}\` | ${operation.summary} | \`${operation.method} ${root}${path}\` | ${access(operation)} | ${replay(operation)} | ${statuses(operation)} |`
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

Any other fails with ${names(Errors.WriteError)};
one with a key with \`KeyReused\` as well. \`OutcomeUnknown\` or \`KeyReused\`: it may have been applied;
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
from zero up to ${base.toString().replace("millis", "ms")}, doubled each time up to ${cap}; \`Retry-After\` honoured up to the deadline.

All calls of a gateway share a budget of ${budget} retries, reads and writes apart. Time gives ${budget / 10} of them back in
a second, and each success a tenth of one. A retry that finds the budget empty waits for its turn, if that
comes after its back-off; a call whose turn would come after its deadline ends, and its error says so. A
renewed token takes nothing from it.
`

emit("docs/operations.md", content, "operations")
