/** The declarations match the interface, as it was copied by hand. */
import { assert, describe, it } from "@effect/vitest"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Record from "effect/Record"
import type * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { names, operations } from "./utils/interface.js"

/** The paths of the leaves of a schema, including array elements. */
const leaves = (ast: AST.AST, path = ""): ReadonlyArray<string> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures.flatMap(({ name, type }) =>
        leaves(type, path === "" ? String(name) : `${path}.${String(name)}`)
      )
    case "TupleType":
      return ast.rest.flatMap(({ type }) => leaves(type, path))
    case "Union": {
      const found = ast.types
        .filter((type) => type._tag !== "UndefinedKeyword" && type._tag !== "Literal")
        .flatMap((type) => leaves(type, path))
      return found.length === 0 ? [path] : Array.from(new Set(found))
    }
    case "Refinement":
      return leaves(ast.from, path)
    default:
      return [path]
  }
}

const sorted = (all: Iterable<string>) => Array.from(all).sort()
const fields = (schema: Schema.Schema.AnyNoContext | undefined) =>
  schema === undefined ? [] : sorted(leaves(schema.ast))

it("the declared operations are those of section 4, and no other", () => {
  assert.deepStrictEqual(sorted(ServiceApi.operations.keys()), sorted(Object.keys(operations)))
})

for (const [name, copy] of Record.toEntries(operations)) {
  describe(name, () => {
    const operation = ServiceApi.operations.get(name)
    if (operation === undefined) throw new Error(`${name} is not declared`)

    it("has the method, path and scope of section 4", () => {
      assert.deepStrictEqual([operation.method, operation.path, operation.access], [...copy.route])
    })

    it("has its key in the documented location", () => {
      const { replay } = operation
      const key =
        replay._tag === "Keyed"
          ? `${replay.in} ${replay.name}`
          : replay._tag === "Once"
            ? "none"
            : undefined
      assert.strictEqual(key, copy.key)
    })

    it("compares its response by amount, currency, beneficiary and key", () => {
      const { in: parent, members: checks = [] } = operation.checks ?? {}
      const shown = checks.map(({ as, field, member }) =>
        [`${field}:${as}`, ...(member === undefined ? [] : [`${parent ?? "data"}.${member}`])].join(
          "="
        )
      )
      assert.strictEqual(shown.join(" "), copy.compared ?? "")
    })

    it("has the request fields of section 4", () => {
      assert.deepStrictEqual(fields(operation.payload), names(copy.body))
      assert.deepStrictEqual(fields(operation.urlParams), names(copy.query))
      assert.deepStrictEqual(fields(operation.headers), names(copy.headers))
    })

    it("has the response members of section 2", () => {
      assert.deepStrictEqual(fields(operation.success), names(copy.answer))
    })
  })
}
