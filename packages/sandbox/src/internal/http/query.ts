/**
 * Query parameters, which arrive as strings.
 */
import type * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"

/** Makes a function that turns the numbers of a schema, which are strings in a query, into numbers. */
export const parser = ({ ast }: Schema.Schema.AnyNoContext) => {
  const numbers = (ast._tag === "TypeLiteral" ? ast.propertySignatures : [])
    .filter(({ type }) => isNumber(type))
    .map(({ name }) => String(name))
  return (search: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    const parsed = { ...search }
    for (const name of numbers) {
      const text = search[name]
      if (typeof text === "string" && /^\d+$/.test(text)) parsed[name] = Number(text)
    }
    return parsed
  }
}

const isNumber = (ast: AST.AST): boolean => {
  if (ast._tag === "Union") return ast.types.some(isNumber)
  return ast._tag === "Refinement" ? isNumber(ast.from) : ast._tag === "NumberKeyword"
}
