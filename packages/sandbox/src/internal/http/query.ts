/**
 * Server-side schemas for query parameters, which arrive as strings.
 */
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** Makes a schema of query parameters decode its numbers from strings. */
export const fromText = (schema: Schema.Schema.AnyNoContext): Schema.Schema.AnyNoContext => {
  const { ast } = schema
  return ast._tag === "TypeLiteral"
    ? Schema.make(
        new AST.TypeLiteral(
          ast.propertySignatures.map(
            ({ annotations, isOptional, isReadonly, name, type }) =>
              new AST.PropertySignature(name, member(type), isOptional, isReadonly, annotations)
          ),
          ast.indexSignatures,
          ast.annotations
        )
      )
    : schema
}

const member = (ast: AST.AST): AST.AST => {
  if (ast._tag === "Union") return AST.Union.make(ast.types.map(member), ast.annotations)
  return isNumber(ast) ? numberFromText(ast) : ast
}

const isNumber = (ast: AST.AST): boolean =>
  ast._tag === "Refinement" ? isNumber(ast.from) : ast._tag === "NumberKeyword"

/** Keeps the description and the JSON schema of the number, because the string form is a detail. */
const numberFromText = (ast: AST.AST): AST.AST =>
  Schema.compose(Schema.NumberFromString, Schema.make<number>(ast)).annotations({
    description: Option.getOrElse(AST.getDescriptionAnnotation(ast), () => "a number"),
    jsonSchema: jsonSchemaOf(ast)
  }).ast

/** Inlines definitions, because an annotation cannot contain references. */
const jsonSchemaOf = (ast: AST.AST): object => {
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  const { $ref: _, ...own }: Record<string, unknown> = {
    ...JSONSchema.fromAST(ast, { definitions })
  }
  return Object.assign({}, ...Object.values(definitions), own)
}
