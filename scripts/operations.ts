// Writes docs/operations.md: every operation and the retry rule, and the sandbox's docs/outcomes.md, from
// the declarations. With --check, fails when a file is not what they say.
import { Errors, type Operation, RetryPolicy } from "@manilla/core"
import { Outcome, ServiceApi } from "@manilla/sandbox"
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

Generated from the declarations by \`npm run generate\`. "Not shown" means that the documentation of the service
(the *interface*) does not say, and that Manilla assumes nothing.

## The ${rows.length} operations

| operation | purpose | method and path | scope | replay class | documented error statuses |
| --- | --- | --- | --- | --- | --- |
${rows.join("\n")}

The replay class says when an operation may be repeated. \`Safe\`: at any time. \`Keyed\`: with the same
idempotency key. \`Once\`: it has no key, so only if the service certainly did not process it.

A \`Safe\` operation may fail with ${names(Errors.ReadError)}.

A \`Keyed\` operation may fail with ${names(Errors.KeyedWriteError)}.

A \`Once\` operation may fail with ${names(Errors.WriteError)}.

After \`OutcomeUnknown\`, \`UnkeyedOutcomeUnknown\` or \`KeyReused\`, the operation may have been applied. After
\`AppliedUnreadable\` or \`UnkeyedAppliedUnreadable\`, it was applied. After any other error, it was not applied. This is
about one call: if the key was used before, an earlier call may have been applied.

## The retry rule

A *fault* is the reason why an attempt failed. For each fault, the table shows the outcome of the attempt and the next
step in each replay class: \`retry\` after a back-off, \`renew\` the token and retry once, or \`stop\`.

| fault | outcome | Safe | Keyed | Once |
| --- | --- | --- | --- | --- |
${rules.join("\n")}

A fault has the name of its error, except:

- \`RequestTimeout\`: status 408, an \`UnexpectedStatusError\`.
- \`NotSent\` and \`ConnectionLost\`: a \`TransportError\` before a connection was established, and after that.
- \`UnreadableResponse\`, \`TooLarge\` and \`UnreadableSuccess\`: a \`MalformedResponseError\`. \`UnreadableResponse\`
  is a response that cannot be recognised or belongs to another request. \`UnreadableSuccess\` is a success that
  belongs to the request, but does not match its schema.

Once an attempt of a write may have been applied, only a success makes the outcome known again. Any later refusal
becomes the \`cause\` of the unknown outcome.

By default, a call makes ${attempts} attempts within ${deadline}, with a timeout of ${attemptTimeout} each. The back-off is a random
time between zero and a maximum, which starts at ${base.toString().replace("millis", "ms")} and doubles each time up to ${cap}. \`Retry-After\`
is respected up to the deadline.

All reads of a gateway share a budget of ${budget} retries, and so do all its writes. A budget refills by
${budget / 10} retries per second, and by a tenth of a retry for each success. If it is empty, a retry waits for its
back-off or its turn, whichever is later. If its turn would come after the call's deadline, the call ends,
and its error says so. A retry after a renewed token does not use the budget.
`

emit("docs/operations.md", content)

const outcomes = `# Outcomes on demand

Generated from the declaration in \`Outcome.ts\` by \`npm run generate\`. A request asks for one of these
${Outcome.outcomes.length} outcomes in three ways:

- by a magic value in its body: the phone number of the table (\`payer.phone_number\`, \`destination\`, or the
  payer of a payment link), or the amount of the table (\`amount\`, \`initial_balance\`)
- by the header \`X-Sandbox-Outcome\`, with the name
- by a fault rule, for requests that you cannot change:
  \`{"fault": "outcome", "outcome": "fails", "count": 3, "operation": "Payouts.create"}\`

A fault rule takes precedence over the header, the header over the phone number, and the phone number over the
amount. Phone numbers that start with \`${Outcome.phonePrefix}\`, and amounts from \`999.9901\` to \`999.9999\`, are magic. With
\`--strict\`, a magic value that is not listed for its operation is a 422 \`UNLISTED_MAGIC_VALUE\`; otherwise it
is like any other. A header with an unknown name is always a 422. "Once per key" applies to the first request
with an idempotency key, so that a retry succeeds; requests without a key always meet it.

\`GET /_sandbox/outcomes\` returns this table as JSON. Times are those of the sandbox's clock, except of late answers.

${Outcome.table()}`

emit("packages/sandbox/docs/outcomes.md", outcomes)
