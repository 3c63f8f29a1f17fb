// Prints the declarations of `@manilla/promises` into one file without any type of Effect. Each module is a namespace; types are
// printed as the compiler resolves them. A value of a module whose type needs Effect, such as a schema, is left out; in a call
// it is an error.
import ts from "typescript"
import { join } from "node:path"
import { root } from "./packages.js"

const entry = join(root, "packages/promises/src/index.ts")

/** Types of Effect that have a counterpart, declared by hand. */
const byHand = `declare const brand: unique symbol
declare const redacted: unique symbol

declare namespace Duration {
  /** Milliseconds, or a text such as \`"10 seconds"\`. */
  type Duration = number | \`\${number} \${"milli" | "second" | "minute" | "hour" | "day" | "week"}\${"" | "s"}\`
}

declare namespace Redacted {
  /** A value that no log or message shows. */
  interface Redacted<out A = string> {
    readonly [redacted]: A
  }
  /** Returns the value. */
  const value: <A>(self: Redacted<A>) => A
}
`

class NeedsEffect extends Error {}

/** The declarations, as the text of a file. */
export const print = (): string => {
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const program = ts.createProgram([entry], { ...options, composite: false, plugins: [] })
  const checker = program.getTypeChecker()
  const namespaces = new Map<string, Map<string, string>>()

  const fileOf = (symbol: ts.Symbol | undefined) =>
    symbol?.declarations?.[0]?.getSourceFile().fileName ?? ""
  const isOwn = (symbol: ts.Symbol | undefined) => /\/packages\/[\w-]+\/src\//.test(fileOf(symbol))
  const isEffect = (symbol: ts.Symbol | undefined) =>
    /\/node_modules\/(effect|@effect\/[\w-]+)\//.test(fileOf(symbol))
  const isGlobal = (symbol: ts.Symbol | undefined) =>
    /\/typescript\/lib\/lib\.|\/lib\/lib\./.test(fileOf(symbol))
  const moduleOf = (symbol: ts.Symbol) =>
    /(\w+)\.ts$/.exec(fileOf(symbol))?.[1]?.replace(/^calls$/, "Promises") ?? ""

  const docs = (symbol: ts.Symbol | undefined) => {
    const text = ts.displayPartsToString(symbol?.getDocumentationComment(checker) ?? [])
    return text === "" ? "" : `/** ${text.replace(/\*\//g, "").replaceAll("\n", "\n * ")} */\n`
  }

  /** Declares something once, in the namespace of its module. A recursive type meets its own name. */
  const declare = (module: string, name: string, text: () => string) => {
    const members = namespaces.get(module) ?? new Map<string, string>()
    namespaces.set(module, members)
    if (!members.has(name)) {
      members.set(name, "")
      try {
        members.set(name, text())
      } catch (error) {
        members.delete(name)
        throw error
      }
    }
    return `${module}.${name}`
  }

  const withArguments = (name: string, types: ReadonlyArray<ts.Type> = []) =>
    types.length === 0 ? name : `${name}<${types.map(typeOf).join(", ")}>`

  const parametersOf = (symbol: ts.Symbol) => {
    const found = symbol.declarations?.flatMap((one) =>
      ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one) || ts.isClassDeclaration(one)
        ? (one.typeParameters ?? [])
        : []
    )
    const names = (found ?? []).map(({ name }) => name.text)
    return names.length === 0 ? "" : `<${names.join(", ")}>`
  }

  /** A reference to a type with a name of its own. */
  const named = (symbol: ts.Symbol, types: ReadonlyArray<ts.Type> | undefined): string => {
    const name = symbol.name
    const declaration = (): string => {
      const type = checker.getDeclaredTypeOfSymbol(symbol)
      const head = `${docs(symbol)}`
      if (symbol.flags & ts.SymbolFlags.Class) {
        if (type.getProperty("message") === undefined) throw new NeedsEffect(name)
        return `${head}class ${name} extends Error {\n  private constructor()\n${members(type, isField)}\n}`
      }
      if (symbol.flags & ts.SymbolFlags.Interface) {
        return `${head}interface ${name}${parametersOf(symbol)} {\n${members(type)}\n}`
      }
      return `${head}type ${name}${parametersOf(symbol)} = ${structure(type)}`
    }
    return withArguments(declare(moduleOf(symbol), name, declaration), types)
  }

  /** A field of an error, not one of Effect's or JavaScript's errors. */
  const isField = (symbol: ts.Symbol) =>
    symbol.name === "_tag" ||
    symbol.name === "message" ||
    symbol.declarations?.some((one) =>
      /\/packages\/[\w-]+\/src\//.test(one.getSourceFile().fileName)
    ) === true

  const members = (type: ts.Type, isShown: (symbol: ts.Symbol) => boolean = () => true): string => {
    const properties = checker
      .getPropertiesOfType(type)
      .filter(isShown)
      .map((symbol) => {
        const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0
        const key = /^\w+$/.test(symbol.name) ? symbol.name : JSON.stringify(symbol.name)
        return `${docs(symbol)}readonly ${key}${isOptional ? "?" : ""}: ${typeOf(checker.getTypeOfSymbol(symbol))}`
      })
    const indexes = checker
      .getIndexInfosOfType(type)
      .map(({ keyType, type }) => `readonly [key: ${typeOf(keyType)}]: ${typeOf(type)}`)
    return [...properties, ...indexes].join("\n")
  }

  const signature = (one: ts.Signature): string => {
    const parameters = one.parameters.flatMap((symbol) => {
      const type = checker.getTypeOfSymbol(symbol)
      const declared = symbol.valueDeclaration
      const isRest =
        declared !== undefined && ts.isParameter(declared) && declared.dotDotDotToken !== undefined
      if (!isRest) {
        const isOptional =
          declared !== undefined &&
          ts.isParameter(declared) &&
          checker.isOptionalParameter(declared)
        const name =
          declared !== undefined && ts.isParameter(declared) && ts.isIdentifier(declared.name)
            ? declared.name.text
            : "options"
        return [`${name}${isOptional ? "?" : ""}: ${typeOf(type)}`]
      }
      if (!checker.isTupleType(type)) return [`...${symbol.name}: ${typeOf(type)}`]
      const { elementFlags, labeledElementDeclarations: labels } = (type as ts.TupleTypeReference)
        .target
      if (elementFlags.some((flag) => flag & ts.ElementFlags.Variable))
        return [`...${symbol.name}: ${typeOf(type)}`]
      return checker.getTypeArguments(type as ts.TupleTypeReference).map((element, i) => {
        const label = labels?.[i]?.name
        const name = label !== undefined && ts.isIdentifier(label) ? label.text : `argument${i}`
        return `${name}${(elementFlags[i] ?? 0) & ts.ElementFlags.Optional ? "?" : ""}: ${typeOf(element)}`
      })
    })
    const predicate = checker.getTypePredicateOfSignature(one)
    const returned =
      predicate?.type === undefined
        ? typeOf(one.getReturnType())
        : `${predicate.parameterName} is ${typeOf(predicate.type)}`
    const generics = one.typeParameters?.map(({ symbol }) => symbol.name).join(", ")
    return `${generics === undefined ? "" : `<${generics}>`}(${parameters.join(", ")}) => ${returned}`
  }

  const typeOf = (type: ts.Type): string => {
    const { aliasSymbol, aliasTypeArguments } = type
    if (aliasSymbol !== undefined && isOwn(aliasSymbol) && isExported(aliasSymbol))
      return named(aliasSymbol, aliasTypeArguments)
    return structure(type)
  }

  const isExported = (symbol: ts.Symbol) =>
    symbol.declarations?.some(
      (one) => ts.getCombinedModifierFlags(one as ts.Declaration) & ts.ModifierFlags.Export
    ) === true

  const union = (type: ts.UnionType) => {
    const parts = type.types.flatMap((one) => (isForEffect(one.symbol) ? [] : [typeOf(one)]))
    const has = (...all: ReadonlyArray<string>) => all.every((it) => parts.includes(it))
    const isShort = has("true", "false")
      ? /^(true|false)$/
      : has("`${number} nanos`")
        ? /number|bigint/
        : /^$/
    const short = has("true", "false")
      ? ["boolean"]
      : isShort.test("number")
        ? ["Duration.Duration"]
        : []
    const all = [...short, ...parts.filter((it) => !isShort.test(it))]
    return [...new Set(all)].map((it) => (it.includes("=>") ? `(${it})` : it)).join(" | ")
  }

  /** A member of a union that is an object of Effect, beside others. */
  const isForEffect = (symbol: ts.Symbol | undefined) =>
    symbol !== undefined && ["Duration", "Utc", "Zoned"].includes(symbol.name) && isEffect(symbol)

  const structure = (type: ts.Type): string => {
    if (type.isUnion()) return union(type)
    if (type.isIntersection()) {
      const branded = type.types.find(
        ({ aliasSymbol, symbol }) => (aliasSymbol ?? symbol)?.name === "Brand"
      )
      if (branded === undefined)
        return type.types
          .map(typeOf)
          .map((it) => (it.includes("|") ? `(${it})` : it))
          .join(" & ")
      const [name] =
        branded.aliasTypeArguments ?? checker.getTypeArguments(branded as ts.TypeReference)
      if (name === undefined || !name.isStringLiteral())
        throw new NeedsEffect("a brand without a name")
      return declare(
        "Brands",
        name.value,
        () => `type ${name.value} = string & { readonly [brand]: "${name.value}" }`
      )
    }
    if (!(type.flags & ts.TypeFlags.Object))
      return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)
    if (checker.isTupleType(type)) {
      const { elementFlags, readonly } = (type as ts.TupleTypeReference).target
      const elements = checker.getTypeArguments(type as ts.TupleTypeReference).map((one, i) => {
        const flags = elementFlags[i] ?? 0
        return flags & ts.ElementFlags.Variable ? `...Array<${typeOf(one)}>` : typeOf(one)
      })
      return `${readonly ? "readonly " : ""}[${elements.join(", ")}]`
    }
    const { symbol } = type
    const types = checker.getTypeArguments(type as ts.TypeReference)
    const own = types.slice(0, (type as ts.TypeReference).target?.typeParameters?.length ?? 0)
    if (symbol?.name === "Redacted" && isEffect(symbol))
      return withArguments("Redacted.Redacted", own)
    const isNamed =
      symbol !== undefined &&
      (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0
    if (isNamed && isOwn(symbol)) return named(symbol, own)
    // Iterables have one parameter before TypeScript 5.6.
    if (isNamed && isGlobal(symbol))
      return withArguments(symbol.name, /Itera/.test(symbol.name) ? own.slice(0, 1) : own)
    const calls = type.getCallSignatures()
    if (calls.length > 0) {
      if (checker.getPropertiesOfType(type).length > 0)
        throw new NeedsEffect(checker.typeToString(type))
      if (symbol?.name === "fetch" && isGlobal(symbol)) return "typeof globalThis.fetch"
      return calls.map(signature).join(") & (")
    }
    if (isEffect(symbol) && isNamed) throw new NeedsEffect(checker.typeToString(type))
    if (checker.getPropertiesOfType(type).some(({ name }) => name.startsWith("__@")))
      throw new NeedsEffect(checker.typeToString(type))
    return `{\n${members(type)}\n}`
  }

  const source = program.getSourceFile(entry)
  const index = source && checker.getSymbolAtLocation(source)
  if (index === undefined) throw new Error(`${entry} has no exports`)
  const exported = checker.getExportsOfModule(index).map((namespace) => {
    const aliased = checker.getAliasedSymbol(namespace)
    if (isEffect(aliased)) return namespace.name
    for (const symbol of checker.getExportsOfModule(aliased)) {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      try {
        if (
          target.flags &
          (ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Interface | ts.SymbolFlags.Class)
        ) {
          named(target, [])
        }
        if (target.flags & ts.SymbolFlags.Variable) {
          const text = typeOf(checker.getTypeOfSymbol(target))
          declare(
            namespace.name,
            `const ${target.name}`,
            () => `${docs(target)}const ${target.name}: ${text}`
          )
        }
      } catch (error) {
        const isNeeded = namespace.name === "Promises"
        if (isNeeded || !(error instanceof NeedsEffect)) throw error
      }
    }
    return namespace.name
  })
  const text = [...namespaces].map(
    ([name, members]) => `declare namespace ${name} {\n${[...members.values()].join("\n\n")}\n}\n`
  )
  return `${byHand}\n${text.join("\n")}\nexport { ${exported.join(", ")} }\n`
}

if (process.argv[1]?.endsWith("declarations.ts")) console.log(print())
