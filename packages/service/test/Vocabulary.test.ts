/** A name means one schema, in all packages that declare operations. */
import { assert, it } from "@effect/vitest"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as AST from "effect/SchemaAST"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readdirSync } from "node:fs"

const packages = new URL("../../", import.meta.url)
const domains = ["core", "token", "payments", "payouts", "transactions", "refunds"].concat(
  "payment-links",
  "cards",
  "catalogue"
)

/** The schemas that the packages export, by module. */
const exported = await Promise.all(
  domains.flatMap((name) =>
    readdirSync(new URL(`${name}/src/`, packages))
      .filter((file) => /^[A-Z]\w*\.ts$/.test(file))
      .map(async (file) => {
        const { href } = new URL(`${name}/src/${file}`, packages)
        const module: Readonly<Record<string, unknown>> = await import(/* @vite-ignore */ href)
        return Object.entries(module).flatMap(([schema, value]) =>
          Schema.isSchema(value)
            ? [{ from: `${name}/${file.slice(0, -3)}.${schema}`, ast: value.ast }]
            : []
        )
      })
  )
).then((all) => all.flat())

const twice = <Name>(
  namesOf: (ast: AST.AST) => ReadonlyArray<Name>,
  ownerOf: (schema: (typeof exported)[number]) => unknown
): ReadonlyArray<string> => {
  const owners = new Map<Name, unknown>()
  const found = exported.flatMap((schema) =>
    namesOf(schema.ast).flatMap((name) => {
      const owner = owners.get(name) ?? ownerOf(schema)
      owners.set(name, owner)
      return owner === ownerOf(schema) ? [] : [`${String(name)}: another one is ${schema.from}`]
    })
  )
  assert.isAbove(owners.size, 10)
  return found
}

it("a body has an example, which its schema accepts", () => {
  const bodies = Array.from(ServiceApi.operations.values(), ({ payload }) => payload)
  for (const schema of bodies.filter((payload) => payload !== undefined)) {
    const [example] = Option.getOrElse(AST.getExamplesAnnotation(schema.ast), () => [undefined])
    assert.isTrue(Schema.is(schema)(example), String(schema))
  }
})

it("an identifier belongs to one schema", () => {
  const identifiers = (ast: AST.AST) => Option.toArray(AST.getIdentifierAnnotation(ast))
  const doubled = twice(identifiers, ({ ast }) => ast)
  assert.deepStrictEqual(doubled, [])
})

it("a brand belongs to one module: one that two domains need belongs in core", () => {
  const brands = (ast: AST.AST) => Option.getOrElse(AST.getBrandAnnotation(ast), () => [])
  const doubled = twice(brands, ({ from }) => from.split(".")[0])
  assert.deepStrictEqual(doubled, [])
})
