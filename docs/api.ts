// Makes the pages of the API reference from those of docgen, whose head is for another generator.
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

const docs = import.meta.dirname
const root = dirname(docs)

interface Module {
  readonly folder: string
  readonly name: string
  readonly intro: string
  readonly body: string
}

const read = (modules: string, file: string): ReadonlyArray<Module> => {
  const [, folder, name] = /^([\w-]+)\/src\/(\w+)\.ts\.md$/.exec(file.replace(/\\/g, "/")) ?? []
  if (folder === undefined || name === undefined) return []
  const text = readFileSync(join(modules, file), "utf8").replace(/\{@link (\S+)\}/g, "`$1`")
  const [, head = "", body = ""] =
    /## \w+ overview\n([\s\S]*?)\n---\n[\s\S]*?\n---\n([\s\S]*)/.exec(text) ?? []
  return [{ folder, name, body, intro: head.replace(/^Added in v.*\n/m, "").trim() }]
}

/** The fields of the errors of a package, from the report of its declarations: docgen prints none. */
const fieldsIn = (folder: string): ReadonlyMap<string, string> => {
  const report = readFileSync(join(root, "packages", folder, "api.txt"), "utf8")
  const bases = report.matchAll(
    /declare const (\w+)_base: Schema\.TaggedErrorClass<[^{]*\{[^}]*\} & \{\n([\s\S]*?)\n\}>/g
  )
  return new Map(
    Array.from(bases, ([, name = "", fields = ""]) => [
      name,
      fields
        .replace(/^ {4}(\w+): Schema\.optional<([\s\S]*?)>;$/gm, "    $1?: $2;")
        .replace(/typeof Schema\.(String|Number|Boolean)/g, (_, type: string) => type.toLowerCase())
        .replace(/^ {4}(\w+\??): (?:typeof )?([\s\S]*?);$/gm, "  readonly $1: $2")
    ])
  )
}

/** The methods of a client first, each with a heading of its own, because they are what a reader looks for. */
const withMethods = (body: string): string => {
  const [entry, head, members] =
    /### Service <[^\n]*\n([\s\S]*?)\n\*\*Signature\*\*\n\n```ts\nexport interface Service[^{]*\{\n([\s\S]*?)\n\}\n```\n/.exec(
      body
    ) ?? []
  if (entry === undefined || head === undefined || members === undefined) return body
  const methods = Array.from(
    members.matchAll(
      / {2}\/\*\*([\s\S]*?)\*\/\n {2}readonly (\w+): ([\s\S]*?)(?=\n\n {2}\/\*\*|$)/g
    ),
    ([, comment = "", name = "", type = ""]) => {
      const text = comment.replace(/^ *\* ?/gm, "").trim()
      const code = `${name}: ${type}`.replace(/^ {2}/gm, "")
      return `### ${name} <Badge type="info" text="method" /> {#service-${name.toLowerCase()}}\n\n${text}\n\n\`\`\`ts\n${code}\n\`\`\`\n`
    }
  )
  return methods.length === 0
    ? body
    : `## methods {#category-methods}\n\n${head.trim()}\n\n${methods.join("\n")}\n${body}`
}

/** The types of other modules in a signature, as links. */
const withLinks = (body: string, { folder }: Module, all: ReadonlyArray<Module>): string =>
  body.replace(/```ts\n((?!import)[\s\S]*?)```\n/g, (block, code: string) => {
    const links = [...new Set(code.match(/\b[A-Z]\w+\.[A-Z]\w+/g))].flatMap((reference) => {
      const [module = "", name = ""] = reference.split(".")
      const found = all.filter((one) => one.name === module)
      const own = found.find((one) => one.folder === folder) ?? found[0]
      return own?.body.includes(`## ${name}`)
        ? [`[${reference}](../${own.folder}/${module}.md#${name.toLowerCase()})`]
        : []
    })
    return links.length === 0 ? block : `${block}\nTypes: ${links.join(", ")}\n`
  })

const entriesOf = (module: Module, all: ReadonlyArray<Module>): string => {
  const fields = fieldsIn(module.folder)
  const taken = new Set<string>()
  const entries = module.body
    .replace(/^Added in v.*\n\n?/gm, "")
    .replace(/^# (.+)$/gm, "## $1 {#category-$1}")
    .replace(/^## (\w+)(?: \((.+)\))?$/gm, (_, name: string, kind = "value") => {
      const anchor = name.toLowerCase()
      const id = taken.has(anchor) ? `${anchor}-${kind.replace(" ", "-")}` : anchor
      taken.add(id)
      return `### ${name} <Badge type="info" text="${kind}" /> {#${id}}`
    })
    .replace(/^export declare class (\w+)$/gm, (line, name: string) => {
      const own = fields.get(name)
      return own === undefined ? line : `${line} {\n${own}\n}`
    })
  return withLinks(withMethods(entries), module, all)
}

export const write = (): void => {
  const modules = join(root, "scripts/.docgen/modules")
  rmSync(join(docs, "api"), { recursive: true, force: true })
  execFileSync("npx", ["docgen"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
  const files = readdirSync(modules, { encoding: "utf8", recursive: true }).sort()
  const all = files.flatMap((file) => read(modules, file))
  for (const module of all) {
    const { folder, intro, name } = module
    const path = join(docs, "api", folder, `${name}.md`)
    mkdirSync(dirname(path), { recursive: true })
    const title = `# ${name} {#the-module}\n\n\`@manilla/${folder}/${name}\``
    writeFileSync(path, `${title}\n\n${intro}\n\n${entriesOf(module, all)}`)
  }
  const rows = all.map(({ folder, intro, name }) => {
    const [summary = ""] = intro.split("\n\n")
    return `| \`@manilla/${folder}\` | [${name}](${folder}/${name}.md) | ${summary.replace(/\n/g, " ")} |`
  })
  const head = "# API reference\n\n| package | module | contents |\n| --- | --- | --- |\n"
  writeFileSync(join(docs, "api/index.md"), `${head}${rows.join("\n")}\n`)
}
