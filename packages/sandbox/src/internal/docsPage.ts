/**
 * A self-contained HTML page that documents the requests and responses of the declared operations.
 */
import * as Envelope from "@manilla/core/Envelope"
import type * as Operation from "@manilla/core/Operation"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as ServiceApi from "../ServiceApi.js"

/** A member of a request or a response. */
interface Field {
  readonly name: string
  readonly rule: string
  readonly required: boolean
}

export const render = (openApi: string): string => {
  const sections = Array.from(ServiceApi.operations, ([name, operation]) =>
    section(name, operation)
  )
  const links = Array.from(
    ServiceApi.operations.keys(),
    (name) => `<a href="#${escape(name)}">${escape(name)}</a>`
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payments, Payouts and Virtual Cards: the sandbox</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Payments, Payouts and Virtual Cards</h1>
<p>The operations of this sandbox. Paths are relative to <code>${ServiceApi.root}</code>, and those of
the account gateway to <code>{auth_url}</code>. OpenAPI document:
<a href="${openApi}">${openApi}</a></p>
<nav>${links.join(" ")}</nav>
</header>
<main>
${sections.join("\n")}
</main>
</body>
</html>
`
}

const section = (name: string, operation: Operation.Operation): string => {
  const { access, replay } = operation
  const path = operation.path.replace(/:(\w+)/g, "{$1}")
  const root = access === "credentials" ? "{auth_url}" : ""
  return `<section id="${escape(name)}">
<h2><span class="method ${operation.method}">${operation.method}</span> <code>${escape(root + path)}</code></h2>
<p>${escape(operation.summary)}</p>
<dl>
<dt>operation</dt><dd><code>${escape(name)}</code></dd>
<dt>scope</dt><dd>${scopeOf(access)}</dd>
<dt>replay</dt><dd>${replayOf(replay)}</dd>
</dl>
${table("Path", fields(operation.pathParams))}
${table("Query", fields(operation.urlParams))}
${table("Headers", fields(operation.headers))}
${table("Body", fields(operation.payload))}
${table("Response", fields(Envelope.Success(operation.success)))}
</section>`
}

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

const replayOf = (replay: Operation.Replay): string => {
  switch (replay._tag) {
    case "Safe":
      return "Safe: a read, which can be repeated"
    case "Keyed":
      return `Keyed by <code>${escape(replay.name)}</code> in the ${replay.in}: repeat with the same key and the same bytes`
    case "Once":
      return "Once: no key; do not repeat a request that may have been processed"
  }
}

const table = (title: string, rows: ReadonlyArray<Field>): string =>
  rows.length === 0
    ? ""
    : `<details open><summary>${title}</summary><table>${rows
        .map(
          ({ name, required, rule }) =>
            `<tr><td><code>${escape(name)}</code></td><td>${required ? "" : "optional"}</td><td>${escape(rule)}</td></tr>`
        )
        .join("")}</table></details>`

const fields = (schema: Schema.Schema.All | undefined): ReadonlyArray<Field> =>
  schema === undefined ? [] : members(schema.ast, "")

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

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881 }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 2rem 1rem }
code { font-family: ui-monospace, monospace; font-size: 0.9em }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem }
section { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1rem }
h2 { font-size: 1.15rem; margin: 0 }
.method { border-radius: 0.25rem; color: #fff; font-size: 0.8rem; padding: 0.15rem 0.5rem }
.GET { background: #2563a8 } .POST { background: #1f7a4d }
dl { display: grid; gap: 0 1rem; grid-template-columns: max-content 1fr; margin: 0.5rem 0 }
dt { opacity: 0.7 } dd { margin: 0 }
summary { cursor: pointer; margin-top: 0.5rem }
table { border-collapse: collapse; font-size: 0.9rem; width: 100% }
td { border-top: 1px solid var(--line); padding: 0.25rem 0.5rem; vertical-align: top }
td:nth-child(2) { opacity: 0.7 } tr:nth-child(odd) { background: var(--soft) }
`
