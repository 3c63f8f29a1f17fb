/**
 * The OpenAPI document, and a page that documents the requests, responses and errors of the declared operations, each
 * with a line for curl. It has no script.
 */
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as Operation from "@manilla/core/Operation"
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as OpenApiDocument from "../../OpenApiDocument.js"
import * as ServiceApi from "../../ServiceApi.js"
import * as envelope from "../http/envelope.js"
import * as refusal from "../rules/refusal.js"
import * as html from "./html.js"
import { escape } from "./html.js"

/** A member of a request or a response. */
interface Field {
  readonly name: string
  readonly rule: string
  readonly required: boolean
}

export const paths = { openApi: "/openapi.json", page: "/docs" } as const

/** The server URL is relative to the document, so it does not depend on the port. */
const document = Effect.sync(() =>
  HttpServerResponse.unsafeJson(OpenApiDocument.make({ baseUrl: ServiceApi.root }))
)

const page = Effect.sync(() =>
  html.page({ title: "Payments, Payouts and Virtual Cards: the sandbox", body: render() })
)

/** They need no token, and neither faults nor the exchange log apply to them. */
export const routes = [
  HttpRouter.makeRoute("GET", paths.openApi, document),
  HttpRouter.makeRoute("GET", paths.page, page)
]

/** The parts of the page below its title. */
const render = (): string => {
  const names = Array.from(ServiceApi.operations.keys())
  const links = names.map((name) => `<a href="#${escape(name)}">${escape(name)}</a>`)
  const sections = Array.from(ServiceApi.operations, ([name, operation]) =>
    section(name, operation)
  )
  return `<header class="top">
<h1>Payments, Payouts and Virtual Cards</h1>
<p>The operations of this sandbox. The <a href="/">page of the sandbox</a> shows what happens.
OpenAPI document: <a href="${paths.openApi}">${paths.openApi}</a></p>
<p>The curl lines use the <code>export</code> lines that the sandbox prints, and <code>TOKEN</code>, which the
line of <a href="#Token.obtain">Token.obtain</a> sets. Other variables are ids and references of your own.</p>
<nav aria-label="Operations">${links.join(" ")}</nav>
</header>
<main>
${sections.join("\n")}
</main>`
}

const section = (name: string, operation: Operation.Operation): string => {
  const { access, replay } = operation
  const path = operation.path.replace(/:(\w+)/g, "{$1}")
  const root = access === "credentials" ? "{auth_url}" : ""
  return `<section id="${escape(name)}">
<h2><span class="method">${operation.method}</span> <code>${escape(root + path)}</code></h2>
<p>${escape(operation.summary)}</p>
<dl>
<dt>Operation</dt><dd><code>${escape(name)}</code></dd>
<dt>Scope</dt><dd>${scopeOf(access)}</dd>
<dt>Replay</dt><dd>${replayOf(replay)}</dd>
</dl>
<pre>${escape(curlOf(name, operation))}</pre>
${fields(name, "Path", operation.pathParams)}
${fields(name, "Query", operation.urlParams)}
${fields(name, "Headers", operation.headers)}
${fields(name, "Body", operation.payload)}
${fields(name, "Response", envelope.Success(operation.success))}
${errors(name, operation)}
</section>`
}

/** Bodies that the sandbox accepts. The shell replaces variables between `'"` and `"'`. */
const bodies: Readonly<Record<string, string>> = {
  "Token.obtain": `{"client_id":"'"$MANILLA_CLIENT_ID"'","client_secret":"'"$MANILLA_CLIENT_SECRET"'"}`,
  "Payments.create": `{"country":"BJ","amount":"1500","currency":"XOF","operation":"COLLECTION","payment_method":"mtn_momo","payer":{"phone_number":"+2290100000000"}}`,
  "Payouts.create": `{"wallet_id":"'"$MANILLA_WALLET_ID"'","amount":"1000","currency":"XOF","country":"BJ","payment_method":"mtn_momo","destination":"+2290100000000"}`,
  "PaymentLinks.create": `{"amount":"2000","currency":"XOF","country":"BJ","description":"Shoes"}`,
  "Cards.issue": `{"customer_id":"'"$CARDHOLDER"'","wallet_id":"'"$MANILLA_WALLET_ID"'","idempotency_key":"card-42","debit_currency":"XOF","initial_balance":"10"}`
}

/** The line that sends an operation. Parameters of the path are variables, such as `$PAYMENT_INTENT`. */
const curlOf = (name: string, { access, path, replay }: Operation.Operation): string => {
  const base = access === "credentials" ? "$MANILLA_AUTH_URL" : "$MANILLA_BASE_URL"
  const variable = (_: string, parameter: string) =>
    `$${parameter.replace(/[A-Z]/g, "_$&").toUpperCase()}`
  const body = bodies[name]
  const line = [
    "curl -s",
    ...(access === "credentials" ? [] : [`-H "Authorization: Bearer $TOKEN"`]),
    ...(replay._tag === "Keyed" && replay.in === "header"
      ? [`-H "Idempotency-Key: order-42"`]
      : []),
    ...(body === undefined ? [] : [`--json '${body}'`]),
    `"${base}${path.replace(/:(\w+)/g, variable)}"`
  ].join(" ")
  return access === "credentials" ? `TOKEN=$(${line} | jq -r '.data.access_token')` : line
}

const errors = (name: string, operation: Operation.Operation): string =>
  table(
    name,
    "Errors",
    ["Status", "Code", "Message", "Source"],
    Array.from(refusal.declared)
      .filter(([, { isOf }]) => isOf(operation, name))
      .map(([code, { message, status }]) => [
        String(status),
        `<code>${code}</code>`,
        escape(message),
        operation.errors?.includes(status) === true
          ? "interface, with a code of the sandbox"
          : "own choice of the sandbox"
      ])
  )

const scopeOf = (access: Operation.Access): string => {
  switch (access) {
    case "bearer":
      return "a token; the interface documents no scope"
    case "credentials":
      return "no token: the body contains the credentials"
    default:
      return `<code>${access}</code>`
  }
}

const replayOf = (replay: RetryPolicy.Replay): string => {
  switch (replay._tag) {
    case "Safe":
      return "Safe: a read, which can be repeated"
    case "Keyed":
      return `Keyed by <code>${escape(replay.name)}</code> in the ${replay.in}: repeat with the same key and the same bytes`
    case "Once":
      return "Once: no key; do not repeat a request that may have been processed"
  }
}

const fields = (name: string, title: string, schema: Schema.Schema.All | undefined): string =>
  table(
    name,
    title,
    ["Field", "Presence", "Rule"],
    (schema === undefined ? [] : members(schema.ast, "")).map(({ name, required, rule }) => [
      `<code>${escape(name)}</code>`,
      required ? "required" : "optional",
      escape(rule)
    ])
  )

/** A table of HTML cells. On a narrow screen, each cell has the label of its column. */
const table = (
  name: string,
  title: string,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): string => {
  if (rows.length === 0) return ""
  const head = columns.map((column) => `<th scope="col">${column}</th>`).join("")
  const body = rows.map((cells) => {
    const row = cells.map((cell, index) => `<td data-label="${columns[index]}">${cell}</td>`)
    return `<tr>${row.join("")}</tr>`
  })
  return `<details open><summary>${title}</summary><table aria-label="${escape(`${title} of ${name}`)}">
<thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table></details>`
}

/** The members of an object and its nested objects, by path: `payer.phone_number`. */
const members = (ast: AST.AST, prefix: string): ReadonlyArray<Field> => {
  const inner = unwrap(ast)
  switch (inner._tag) {
    case "TypeLiteral":
      return inner.propertySignatures.flatMap(({ isOptional, name, type }) => {
        const path = prefix + String(name)
        const nested = members(type, `${path}.`)
        return nested.length > 0
          ? nested
          : [{ name: path, rule: ruleOf(type), required: !isOptional }]
      })
    case "TupleType":
      return inner.rest.flatMap(({ type }) => members(type, `${prefix.slice(0, -1)}[].`))
    default:
      return []
  }
}

/** Strips refinements, suspensions, `undefined` and `null` from a schema. */
const unwrap = (ast: AST.AST): AST.AST => {
  switch (ast._tag) {
    case "Refinement":
      return unwrap(ast.from)
    case "Suspend":
      return unwrap(ast.f())
    case "Union": {
      const present = ast.types.filter((type) => !isAbsence(type))
      const [only] = present
      return present.length === 1 && only !== undefined ? unwrap(only) : ast
    }
    default:
      return ast
  }
}

const isAbsence = (ast: AST.AST): boolean =>
  ast._tag === "UndefinedKeyword" || (ast._tag === "Literal" && ast.literal === null)

const ruleOf = (ast: AST.AST): string =>
  Option.getOrElse(AST.getDescriptionAnnotation(ast), () => {
    switch (ast._tag) {
      case "Union":
        return ast.types
          .filter(({ _tag }) => _tag !== "UndefinedKeyword")
          .map(ruleOf)
          .join(" or ")
      case "Refinement":
        return ruleOf(ast.from)
      default:
        return String(ast)
    }
  })
