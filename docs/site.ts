// Builds the site into docs/.vitepress/dist, and fails if a link or an anchor leads nowhere.
// `--base /manilla/` builds it for another path than `/`, and `--open` serves it.
import { execFileSync } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, join, posix } from "node:path"
import { parseArgs } from "node:util"
import { preview, type Plugin } from "vite"
import { build } from "vitepress"

const docs = import.meta.dirname
const root = dirname(docs)
const dist = join(docs, ".vitepress/dist")
const { values } = parseArgs({
  options: { base: { type: "string", default: "/" }, open: { type: "boolean", default: false } }
})

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { encoding: "utf8", recursive: true }).map((file) => file.replace(/\\/g, "/"))

/** Makes the pages of the API reference from those of docgen, whose head is for another generator. */
const writeApi = (): void => {
  const modules = join(root, "scripts/.docgen/modules")
  rmSync(join(docs, "api"), { recursive: true, force: true })
  execFileSync("npx", ["docgen"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
  const index: Array<string> = []
  for (const file of [...filesIn(modules)].sort()) {
    const [, folder, module] = /^([\w-]+)\/src\/(\w+)\.ts\.md$/.exec(file) ?? []
    if (folder === undefined || module === undefined) continue
    const text = readFileSync(join(modules, file), "utf8").replace(/\{@link (\S+)\}/g, "`$1`")
    const [, head = "", body = ""] =
      /## \w+ overview\n([\s\S]*?)\n---\n[\s\S]*?\n---\n([\s\S]*)/.exec(text) ?? []
    const intro = head.replace(/^Added in v.*\n/m, "").trim()
    const taken = new Set<string>()
    const entries = body
      .replace(/^Added in v.*\n\n?/gm, "")
      .replace(/^# (.+)$/gm, "## $1 {#category-$1}")
      .replace(/^## (\w+)(?: \((.+)\))?$/gm, (_, name: string, kind = "value") => {
        const anchor = name.toLowerCase()
        const id = taken.has(anchor) ? `${anchor}-${kind.replace(" ", "-")}` : anchor
        taken.add(id)
        return `### ${name} <Badge type="info" text="${kind}" /> {#${id}}`
      })
    const path = join(docs, "api", folder, `${module}.md`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(
      path,
      `# ${module} {#the-module}\n\n\`@manilla/${folder}/${module}\`\n\n${intro}\n\n${entries}`
    )
    const [summary = ""] = intro.split("\n\n")
    index.push(
      `| \`@manilla/${folder}\` | [${module}](${folder}/${module}.md) | ${summary.replace(/\n/g, " ")} |`
    )
  }
  const head = "# API reference\n\n| package | module | contents |\n| --- | --- | --- |\n"
  writeFileSync(join(docs, "api/index.md"), `${head}${index.join("\n")}\n`)
}

/** Links within the site whose page or anchor does not exist. */
const brokenLinks = (): ReadonlyArray<string> => {
  const pages = new Map(
    filesIn(dist)
      .filter((file) => file.endsWith(".html"))
      .map((file) => [file, readFileSync(join(dist, file), "utf8")])
  )
  const others = new Set(filesIn(dist))
  return [...pages].flatMap(([page, html]) =>
    [...html.matchAll(/<a [^>]*?href="([^"]+)"/g)].flatMap(([, href = ""]) => {
      if (/^[a-z]+:/.test(href)) return []
      const [path = "", hash] = decodeURIComponent(href).split("#")
      const from = path.startsWith(values.base)
        ? path.slice(values.base.length)
        : posix.join(posix.dirname(page), path)
      const file =
        path === "" ? page : from === "" || from.endsWith("/") ? `${from}index.html` : from
      const target = pages.get(file)
      const exists =
        hash === undefined || target === undefined
          ? others.has(file)
          : target.includes(`id="${hash}"`)
      return exists ? [] : [`${page}: ${href} leads nowhere`]
    })
  )
}

/** Answers an unknown address with the page that leads on. */
const notFound: Plugin = {
  name: "not-found",
  configurePreviewServer:
    ({ middlewares }) =>
    () => {
      middlewares.use(({ url = "/" }, response, next) => {
        const file = join(dist, url.replace(/[?#].*/, ""))
        if (statSync(file, { throwIfNoEntry: false })?.isFile()) return next()
        response.writeHead(404, { "content-type": "text/html; charset=utf-8" })
        response.end(readFileSync(join(dist, "404.html")))
      })
    }
}

writeApi()
await build(docs, { base: values.base })
for (const file of readdirSync(docs)) {
  if (file.endsWith(".json") && file !== "package.json") cpSync(join(docs, file), join(dist, file))
}
const broken = brokenLinks()
for (const line of broken) console.error(line)
if (broken.length > 0) process.exitCode = 1
else if (values.open) {
  // The server of VitePress would listen on all addresses of the machine.
  const server = await preview({
    root: docs,
    base: values.base,
    appType: "mpa",
    configFile: false,
    plugins: [notFound],
    build: { outDir: dist },
    preview: { host: "127.0.0.1", port: 4012 }
  })
  server.printUrls()
} else console.log(`The site is in ${dist}. To read it: npm run site -- --open`)
