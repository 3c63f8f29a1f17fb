// The operations of the service, from the OpenAPI document that the sandbox serves.

import { breakable } from "./drawing.js"
import { facts, pre, table } from "./parts.js"
import { html, render } from "./preact.js"

/**
 * @typedef {{
 *   $ref?: string
 *   description?: string
 *   type?: string
 *   enum?: Array<unknown>
 *   anyOf?: Array<Schema>
 *   properties?: Record<string, Schema>
 *   required?: Array<string>
 *   items?: Schema
 *   examples?: Array<object>
 * }} Schema
 */
/** @typedef {{ content: { "application/json": { schema: Schema } } }} Content */
/** @typedef {{ _tag: "Safe" | "Once" } | { _tag: "Keyed", in: string, name: string }} Replay */
/** @typedef {{ name: string, in: string, required: boolean, schema: Schema }} Parameter */
/**
 * @typedef {{
 *   operationId: string
 *   summary: string
 *   parameters: Array<Parameter>
 *   requestBody?: Content
 *   responses: { [status: string]: Content }
 *   security: Array<{ bearer: Array<string> }>
 *   "x-manilla-replay": Replay
 * }} Operation
 */
/** @typedef {{ name: string, required: boolean, rule: string }} Field */

/** @type {Record<string, Schema>} */
let schemas = {}

/**
 * The schema behind references, and of a value that is not `null`.
 *
 * @param {Schema} schema
 * @returns {Schema}
 */
const resolved = (schema) => {
  const named = schema.$ref && schemas[schema.$ref.replace(/^.*\//, "")]
  if (named) return resolved(named)
  const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== "null")
  return only && others.length === 0 ? resolved(only) : schema
}

/**
 * @param {Schema} schema
 * @returns {string}
 */
const ruleOf = (schema) => {
  const { anyOf, description, enum: values, type } = schema.$ref ? resolved(schema) : schema
  if (description !== undefined) return description
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" or ")
  return anyOf?.map(ruleOf).join(" or ") ?? type ?? "anything"
}

/**
 * The members of an object and its nested objects, by path: `payer.phone_number`.
 *
 * @param {Schema} schema
 * @param {string} prefix
 * @returns {Array<Field>}
 */
const fieldsOf = (schema, prefix = "") => {
  const { items, properties = {}, required = [] } = resolved(schema)
  if (items !== undefined) return fieldsOf(items, `${prefix.slice(0, -1)}[].`)
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = prefix + name
    const nested = fieldsOf(member, `${path}.`)
    return nested.length > 0
      ? nested
      : [{ name: path, required: required.includes(name), rule: ruleOf(member) }]
  })
}

/**
 * @param {string} title
 * @param {Array<Field>} fields
 */
const fieldTable = (title, fields) =>
  fields.length > 0 &&
  html`<details open>
    <summary>${title}</summary>
    ${table(
      title,
      [
        ["Field", ({ name }) => html`<code>${breakable(name)}</code>`],
        ["Presence", ({ required }) => (required ? "required" : "optional")],
        ["Rule", ({ rule }) => rule]
      ],
      fields,
      ({ name }) => name
    )}
  </details>`

const printed = ["client_id", "client_secret", "wallet_id"]

/**
 * The variable for an id, a reference or a secret. The sandbox prints some of them.
 *
 * @param {string} name
 */
const variableOf = (name) =>
  `$${printed.includes(name) ? "MANILLA_" : ""}${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`

/**
 * The example of a body, with variables in place of ids. The shell replaces those between `'"` and `"'`.
 *
 * @param {Content | undefined} content
 */
const exampleOf = (content) => {
  const [example] = (content && resolved(content.content["application/json"].schema).examples) ?? []
  return JSON.stringify(example)?.replace(
    /"(\w+_(?:id|reference|secret))":"[^"]*"/g,
    (_, name) => `"${name}":"'"${variableOf(name)}"'"`
  )
}

/**
 * The line that sends an operation. Parameters of the path are variables, such as `$PAYMENT_INTENT` or `$PAYOUT_REFERENCE`.
 *
 * @param {string} path
 * @param {Operation} operation
 */
const curlOf = (path, { parameters, requestBody, security }) => {
  const isToken = security.length === 0
  const body = exampleOf(requestBody)
  const filled = path
    .replace(/(\w+)s\/\{reference\}/, "$1s/{$1Reference}")
    .replace(/\{(\w+)\}/g, (_, name) => variableOf(name))
  const words = [
    "curl -s",
    !isToken && `-H "Authorization: Bearer $TOKEN"`,
    parameters.some(({ name }) => name === "idempotency-key") && `-H "Idempotency-Key: order-42"`,
    body !== undefined && `--json '${body}'`,
    `"${isToken ? "$MANILLA_AUTH_URL" : "$MANILLA_BASE_URL"}${filled}"`
  ]
  const line = words.filter(Boolean).join(" ")
  return isToken ? `TOKEN=$(${line} | jq -r '.data.access_token')` : line
}

/** @param {Operation} operation */
const scopeOf = ({ security }) => {
  const [bearer] = security
  if (bearer === undefined) return "no token: the body contains the credentials"
  return bearer.bearer[0] ?? "a token; the interface documents no scope"
}

/** @param {Replay} replay */
const replayOf = (replay) => {
  if (replay._tag === "Safe") return "Safe: a read, which can be repeated"
  return replay._tag === "Keyed"
    ? `Keyed by ${replay.name} in the ${replay.in}: repeat with the same key and the same bytes`
    : "Once: no key; do not repeat a request that may have been processed"
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Operation} operation
 */
const section = (method, path, operation) => {
  const { operationId, parameters, requestBody, responses, security, summary } = operation
  const statuses = Object.keys(responses).filter((status) => status.startsWith("4"))
  /** @param {string} place */
  const inPlace = (place) =>
    parameters
      .filter((one) => one.in === place)
      .map(({ name, required, schema }) => ({ name, required, rule: ruleOf(schema) }))
  /** @param {Content | undefined} content */
  const bodyOf = (content) =>
    content === undefined ? [] : fieldsOf(content.content["application/json"].schema)
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))
  return html`<section id=${operationId} key=${operationId}>
    <h2>
      <span class="method">${method.toUpperCase()}</span> <code>${security.length === 0 && "{auth_url}"}${path}</code>
    </h2>
    <p>${summary}</p>
    ${facts([
      ["Operation", operationId],
      ["Scope", scopeOf(operation)],
      ["Replay", replayOf(operation["x-manilla-replay"])],
      ["Documented errors", statuses.join(", ") || "none"]
    ])}
    ${pre(`${operationId} with curl`, curlOf(path, operation))}
    ${fieldTable("Path", inPlace("path"))}
    ${fieldTable("Query", inPlace("query"))}
    ${fieldTable("Headers", inPlace("header"))}
    ${fieldTable("Body", bodyOf(requestBody))}
    ${fieldTable("Response", bodyOf(success?.[1]))}
  </section>`
}

const description = await fetch("/openapi.json").then((response) => response.json())
schemas = description.components.schemas
/** @type {Array<[path: string, methods: Record<string, Operation>]>} */
const paths = Object.entries(description.paths)
const operations = paths.flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, operation, path }))
)
const docs = html`
  <header class="top">
    <h1>Payments, Payouts and Virtual Cards</h1>
    <p>
      The operations of this sandbox. The <a href="/">page of the sandbox</a> shows what happens. OpenAPI
      document: <a href="/openapi.json">/openapi.json</a>
    </p>
    <p>
      The curl lines use the <code>export</code> lines that the sandbox prints, and <code>TOKEN</code>, which the
      line of <a href="#Token.obtain">Token.obtain</a> sets. Other variables are ids and references of your own.
    </p>
    <nav aria-label="Operations">
      ${operations.map(({ operation: { operationId } }) => html`<a href=${`#${operationId}`}>${operationId}</a> `)}
    </nav>
  </header>
  <main id="main">
    ${operations.map(({ method, operation, path }) => section(method, path, operation))}
  </main>`
const root = document.getElementById("page")
if (root !== null) render(docs, root)
document.getElementById(location.hash.slice(1))?.scrollIntoView()
