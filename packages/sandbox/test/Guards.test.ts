/**
 * The compiled guards accept or reject requests and responses; `effect/Schema` only explains a
 * rejection. For each schema of each operation, both must agree on every document.
 */
import { assert, describe, it } from "@effect/vitest"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { readdirSync } from "node:fs"
import * as guard from "../../core/src/internal/body/guard.js"

interface Case {
  readonly name: string
  readonly schema: Schema.Schema.AnyNoContext
  readonly excess: guard.Excess
}

/** All schemas of a declaration. They are found by inspection, so that none can be omitted. */
const cases: ReadonlyArray<Case> = [...ServiceApi.operations].flatMap(([operation, declared]) =>
  Object.entries(declared).flatMap(([part, schema]: [string, unknown]): ReadonlyArray<Case> =>
    Schema.isSchema(schema)
      ? [
          {
            name: `${operation}, ${part}`,
            schema: schema as Schema.Schema.AnyNoContext,
            excess: part === "success" ? "pass" : "refuse"
          }
        ]
      : []
  )
)

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

type Path = ReadonlyArray<string | number>

/** The paths in a document, including rows and members of metadata. The first is the root. */
const places = (value: unknown, path: Path = []): ReadonlyArray<Path> => {
  if (typeof value !== "object" || value === null) return [path]
  const names: ReadonlyArray<string | number> = Array.isArray(value)
    ? [...value.keys()]
    : Object.keys(value)
  return [path, ...names.flatMap((name) => places(Reflect.get(value, name), [...path, name]))]
}

const removed = Symbol("removed")

/** A copy with the value at a path changed or removed. */
const changed = (value: unknown, path: Path, change: (old: unknown) => unknown): unknown => {
  const [first, ...rest] = path
  if (first === undefined) return change(value)
  if (typeof value !== "object" || value === null) return value
  const member = changed(Reflect.get(value, first), rest, change)
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, i) =>
      i !== first ? [item] : member === removed ? [] : [member]
    )
  }
  const others = Object.entries(value)
  return Object.fromEntries(
    others.flatMap(([name, old]) =>
      name !== first ? [[name, old]] : member === removed ? [] : [[name, member]]
    )
  )
}

/** Replacements for a character of a string, which a rule may refuse. */
const characters = ["", "X", "0", "-", ".", " ", "\n", "\u00e9", "\ud83d\ude00", "\ud800", "\u0000"]

/** Mutations of the value at a path; `at` selects a variant. */
const mutations: Readonly<Record<string, (old: unknown, at: number) => unknown>> = {
  "is missing": () => removed,
  "is null": () => null,
  "is a number": (_, at) => [0, -1, 1.5, 1e21][at % 4],
  "is a boolean": (_, at) => at % 2 === 0,
  "is another string": (_, at) => ["", "x", "x".repeat(3000), "1500", "PENDING"][at % 5],
  "is an array": (_, at) => [[], [null], [{}]][at % 3],
  "is an object": (_, at) => [{}, { x: 1 }][at % 2],
  "has a character changed": (old, at) => {
    if (typeof old !== "string") return old
    const i = at % (old.length + 1)
    return old.slice(0, i) + characters[at % characters.length] + old.slice(i + 1)
  },
  "has its case changed": (old) =>
    typeof old !== "string"
      ? old
      : old === old.toUpperCase()
        ? old.toLowerCase()
        : old.toUpperCase(),
  "has an unknown member": (old) =>
    typeof old === "object" && old !== null && !Array.isArray(old) ? { ...old, unknown: 1 } : old,
  "is duplicated": (old) => (Array.isArray(old) ? [...old, ...old] : old)
}

/** Covers all paths of most documents, and an even sample of larger ones. */
const placesLimit = 40

const runs = 100

describe("a guard agrees with its schema", () => {
  for (const { excess, name, schema } of cases) {
    it(name, () => {
      const fits = guard.compile(schema, excess)
      const decode = ParseResult.decodeUnknownEither(schema, {
        onExcessProperty: excess === "refuse" ? "error" : "ignore"
      })
      let [fitting, unfit] = [0, 0]

      const compare = (document: unknown, what: string): boolean => {
        const isRight = Either.isRight(decode(document))
        if (fits(document) !== isRight) {
          assert.fail(
            `${what}: the schema says ${isRight}, the guard does not: ${JSON.stringify(document)}`
          )
        }
        if (isRight) fitting++
        else unfit++
        return isRight
      }

      FastCheck.assert(
        FastCheck.property(
          Arbitrary.make(schema),
          FastCheck.nat(1000),
          (document: unknown, seed) => {
            assert.isTrue(compare(document, "as it was generated"))
            const sent = json(document)
            assert.isTrue(compare(sent, "as it is sent"))
            // A schema without transformations returns its input.
            assert.deepStrictEqual(Either.getOrUndefined(decode(sent)), sent)
            const all = places(sent)
            const stride = Math.max(1, Math.ceil(all.length / placesLimit))
            for (let i = seed % stride; i < all.length; i += stride) {
              for (const [how, mutate] of Object.entries(mutations)) {
                const path = all[i] ?? []
                const mutated = changed(sent, path, (old) => mutate(old, seed + i))
                if (mutated !== removed) compare(mutated, `${path.join(".")} ${how}`)
              }
            }
          }
        ),
        { numRuns: runs, seed: 42 }
      )
      assert.isAtLeast(fitting, runs * 2)
      assert.isAtLeast(unfit, runs * 5)
    })
  }
})

describe("the tested operations", () => {
  it("include all schemas of every package", async () => {
    const packages = new URL("../../", import.meta.url)
    const names = new Set<string>()
    for (const folder of readdirSync(packages)) {
      const source = new URL(`${folder}/src/`, packages)
      for (const file of readdirSync(source).filter((file) => file.endsWith("Api.ts"))) {
        const { group }: { readonly group?: (typeof ServiceApi.groups)[number] } = await import(
          /* @vite-ignore */ new URL(file, source).pathname
        )
        if (group === undefined) continue
        for (const operation of Object.keys(group.operations))
          names.add(`${group.name}.${operation}`)
      }
    }
    assert.deepStrictEqual([...names].sort(), [...ServiceApi.operations.keys()].sort())
    const tested = cases.map(({ name }) => name)
    for (const name of names) assert.include(tested, `${name}, success`)
  })

  it("have a schema for each part of a request", () => {
    const parts = ["pathParams", "urlParams", "headers", "payload"] as const
    const declared = [...ServiceApi.operations].flatMap(([name, operation]) =>
      parts.filter((part) => operation[part] !== undefined).map((part) => `${name}, ${part}`)
    )
    const requests = cases.filter(({ excess }) => excess === "refuse").map(({ name }) => name)
    assert.deepStrictEqual([...requests].sort(), [...declared].sort())
  })
})
