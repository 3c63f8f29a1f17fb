/** The leaves of a declared schema: options are derived from those of a request, and columns from those of a response. */
import * as Sensitive from "@manilla/core/Sensitive"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

export interface Field {
  readonly path: ReadonlyArray<string>
  readonly isRequired: boolean
  /** `record` is an object with any members, such as metadata. */
  readonly kind: "text" | "integer" | "boolean" | "record"
  /** The values that it may have, if it is one of a few. */
  readonly choices: ReadonlyArray<string>
  /** The rule of the interface, such as `exactly 3 characters`. */
  readonly rule: string | undefined
  /** Personal data, or an object in which anything may be. It is printed with `--reveal` only. */
  readonly isHidden: boolean
}

const membersOf = (ast: AST.AST): ReadonlyArray<AST.AST> =>
  ast._tag === "Union" ? ast.types.flatMap(membersOf) : [ast]

const isAbsence = (ast: AST.AST): boolean =>
  ast._tag === "UndefinedKeyword" || (AST.isLiteral(ast) && ast.literal === null)

const withoutAbsence = (ast: AST.AST): AST.AST =>
  ast._tag === "Union" ? AST.Union.make(membersOf(ast).filter((one) => !isAbsence(one))) : ast

const kinds: { readonly [_ in AST.AST["_tag"]]?: Field["kind"] } = {
  NumberKeyword: "integer",
  BooleanKeyword: "boolean",
  Declaration: "record"
}

const kindOf = (ast: AST.AST): Field["kind"] =>
  ast._tag === "Refinement" ? kindOf(ast.from) : (kinds[ast._tag] ?? "text")

const choicesOf = (ast: AST.AST): ReadonlyArray<string> =>
  ast._tag === "Union" && ast.types.every(AST.isLiteral)
    ? ast.types.filter(AST.isLiteral).map(({ literal }) => String(literal))
    : []

const leaves = (
  ast: AST.AST,
  path: ReadonlyArray<string>,
  isRequired: boolean
): ReadonlyArray<Field> => {
  const inner = withoutAbsence(ast)
  if (inner._tag === "TypeLiteral") {
    return inner.propertySignatures.flatMap(({ isOptional, name, type }) =>
      leaves(type, [...path, String(name)], isRequired && !isOptional)
    )
  }
  if (inner._tag === "TupleType") return []
  const kind = kindOf(inner)
  const isHidden = kind === "record" || Sensitive.values(Schema.make(ast))("text").length > 0
  const rule = Option.getOrUndefined(AST.getDescriptionAnnotation(inner))
  return [{ path, isRequired, kind, choices: choicesOf(inner), rule, isHidden }]
}

export const of = (schema: Schema.Schema.AnyNoContext | undefined): ReadonlyArray<Field> =>
  schema === undefined ? [] : leaves(schema.ast, [], true)

export type Rows = NonNullable<ReturnType<typeof rowsOf>>

/** The rows in a response, such as a page: its member that is a list. */
export const rowsOf = ({ ast }: Schema.Schema.AnyNoContext) => {
  if (ast._tag !== "TypeLiteral") return undefined
  const [rows] = ast.propertySignatures.flatMap(({ name, type }) => {
    const [row] = type._tag === "TupleType" ? type.rest : []
    return row === undefined ? [] : [{ member: String(name), columns: leaves(row.type, [], true) }]
  })
  return rows
}

/** The value of a field in a response. */
export const valueIn = (value: unknown, [name, ...rest]: Field["path"]): unknown =>
  name === undefined ? value : Predicate.isRecord(value) ? valueIn(value[name], rest) : undefined

/** The list in a response; none if there is no list. */
export const listIn = (value: unknown, path: Field["path"]): ReadonlyArray<unknown> => {
  const list = valueIn(value, path)
  return Array.isArray(list) ? list : []
}

type Members = Readonly<Record<string, unknown>>

const withValue = (
  members: Members,
  [name = "", ...rest]: Field["path"],
  value: unknown
): Members => {
  const inner = members[name]
  const whole =
    rest.length === 0 ? value : withValue(Predicate.isRecord(inner) ? inner : {}, rest, value)
  return { ...members, [name]: whole }
}

/** An object with values at the paths of fields; those that are undefined are left out. */
export const assemble = (values: ReadonlyArray<readonly [Field["path"], unknown]>) =>
  values
    .filter(([, value]) => value !== undefined)
    .reduce<Members>((members, [path, value]) => withValue(members, path, value), {})
