/**
 * Query parameters as a server reads them: every value arrives as text.
 */
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** The schema of query parameters with its numbers read from text. */
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

/** Errors and documents describe the number: that it arrives as text is not the caller's concern. */
const numberFromText = (ast: AST.AST): AST.AST =>
  Schema.compose(Schema.NumberFromString, Schema.make<number>(ast)).annotations({
    description: Option.getOrElse(AST.getDescriptionAnnotation(ast), () => "a number"),
    jsonSchema: jsonSchemaOf(ast)
  }).ast

/** Without references to definitions, which an annotation cannot bring with it. */
const jsonSchemaOf = (ast: AST.AST): object => {
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  const { $ref: _, ...own }: Record<string, unknown> = {
    ...JSONSchema.fromAST(ast, { definitions })
  }
  return Object.assign({}, ...Object.values(definitions), own)
}
