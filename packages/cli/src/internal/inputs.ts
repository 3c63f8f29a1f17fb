/** The options and arguments of a command, from the declaration of its operation. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as Issues from "@manilla/core/Issues"
import type * as Operation from "@manilla/core/Operation"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { type ClientError, ofCall } from "./failure.js"
import * as fields from "./fields.js"
import { hidden, text } from "./output.js"

export interface Input {
  /** The name of the option or of the argument. */
  readonly name: string
  readonly part: "path" | "urlParams" | "headers" | "payload"
  readonly field: fields.Field
}

/** The value of each option and argument. */
export type Given = Readonly<Record<string, unknown>>

export const kebab = (name: string): string =>
  name
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replaceAll("_", "-")
    .replace(/^-|^x-/, "")

/** The inputs of an operation, its idempotency key first. */
export const of = (operation: Operation.Operation): ReadonlyArray<Input> => {
  const { headers, pathParams, payload, replay, urlParams } = operation
  const schemas = { headers, path: pathParams, urlParams, payload } as const
  const parts = ["headers", "path", "urlParams", "payload"] as const
  const inputs = parts.flatMap((part) =>
    fields.of(schemas[part]).map((field): Input => {
      const path = field.path.join("-")
      const isKey = replay._tag === "Keyed" && path === replay.name
      return { name: isKey ? "key" : kebab(path), part, field }
    })
  )
  return [...inputs].sort((a, b) => Number(b.name === "key") - Number(a.name === "key"))
}

/** The member by which `get` reads a resource. */
export const keyOf = (get: Operation.Operation | undefined) =>
  fields.of(get?.pathParams).some(({ path: [name] }) => name === "reference") ? "reference" : "id"

const keyAbout =
  "names the business operation, such as salary:2026-11:E007: the same key never moves money twice"

const typed = ({ field, name }: Input): Options.Options<unknown> => {
  if (field.kind === "integer") return Options.integer(name)
  if (field.kind === "boolean") return Options.boolean(name)
  if (field.kind === "record") return Options.map(Options.keyValueMap(name), Object.fromEntries)
  return field.choices.length > 0 ? Options.choice(name, field.choices) : Options.text(name)
}

const aboutOf = ({ field: { kind, path, rule }, name }: Input): string =>
  name === "key"
    ? keyAbout
    : kind === "record"
      ? "name=value; can be repeated"
      : `${path.join(".")}${rule === undefined ? "" : `: ${rule}`}`

const optionOf = (input: Input): Options.Options<unknown> => {
  const option = Options.withDescription(typed(input), aboutOf(input))
  return input.field.isRequired
    ? option
    : Options.map(Options.optional(option), Option.getOrUndefined)
}

/** An unknown option is no argument. */
const Argument = Schema.String.pipe(Schema.pattern(/^(?!--)/))

/** The configuration of `Command.make` for these inputs. */
export const configOf = (inputs: ReadonlyArray<Input>) =>
  Record.fromIterableWith(inputs, (input) => [
    input.name,
    input.part === "path"
      ? Args.withSchema(Args.text({ name: input.name }), Argument)
      : optionOf(input)
  ])

/** The parts of the request, for the client. */
export const requestOf = (inputs: ReadonlyArray<Input>, given: Given) =>
  fields.assemble(
    inputs.map(({ field, name, part }) => [[part, ...field.path], given[name]] as const)
  )

/** The failure of a call, which names the inputs as the command does. */
export const failureOf = (inputs: ReadonlyArray<Input>) => (error: ClientError) => {
  if (error._tag !== "InvalidRequestError") return ofCall(error)
  const issues = error.issues.map(({ field: invalid, rule }) => {
    const input = inputs.find(({ field: { path }, part }) =>
      [path.join("."), [part, ...path].join(".")].includes(invalid)
    )
    if (input === undefined) return { field: invalid, rule }
    return { field: input.part === "path" ? input.name : `--${input.name}`, rule }
  })
  return ofCall(Issues.invalidRequest(error.operation, issues))
}

/** The request in words, such as `key k, amount 1500, destination [hidden]`. */
export const summary = (inputs: ReadonlyArray<Input>, given: Given): string =>
  inputs
    .filter(({ name }) => given[name] !== undefined)
    .map(({ field, name }) => `${name} ${field.isHidden ? hidden : text(given[name])}`)
    .join(", ")
