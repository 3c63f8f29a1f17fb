// Builds the site into docs/.vitepress/dist, and fails if a link or an anchor leads nowhere.
// `--base /manilla/` builds it for another path than `/`. `--open` serves it, and builds it only if a file has changed.
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join, posix } from "node:path"
import { parseArgs } from "node:util"
import { preview, type Plugin } from "vite"
import { build } from "vitepress"
import * as api from "./api.js"

const docs = import.meta.dirname
const dist = join(docs, ".vitepress/dist")
const { values } = parseArgs({
  options: { base: { type: "string", default: "/" }, open: { type: "boolean", default: false } }
})

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { encoding: "utf8", recursive: true }).map((file) => file.replace(/\\/g, "/"))

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

/** Whether the site was built from these files, for this base. */
const isBuilt = (): boolean => {
  const index = join(dist, "index.html")
  const builtMillis = statSync(index, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (!existsSync(index) || !readFileSync(index, "utf8").includes(`="${values.base}assets/`))
    return false
  const files = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: join(docs, "..")
  })
  return files
    .toString()
    .split("\0")
    .every(
      (file) =>
        (statSync(join(docs, "..", file), { throwIfNoEntry: false })?.mtimeMs ?? Infinity) <=
        builtMillis
    )
}

if (!values.open || !isBuilt()) {
  api.write()
  await build(docs, { base: values.base })
  for (const file of readdirSync(docs)) {
    if (file.endsWith(".json") && file !== "package.json")
      cpSync(join(docs, file), join(dist, file))
  }
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
