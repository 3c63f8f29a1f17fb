// Builds the site into docs/.vitepress/dist, and fails if a link or an anchor leads nowhere.
// `--base /manilla/` builds it for another path than `/`. `--open` serves it, and builds it only if a file has changed.
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { build } from "vitepress"
import * as api from "./api.js"
import { dist, serve } from "./server.js"

const docs = import.meta.dirname
const root = join(docs, "..")
const usage = `Usage: npm run site -- [--base PATH] [--open]

--base PATH  builds the site for this path, such as /manilla/; by default /
--open       serves it, and builds it only if a file has changed`

const given = () => {
  try {
    const { values } = parseArgs({
      options: {
        base: { type: "string", default: "/" },
        open: { type: "boolean", default: false },
        help: { type: "boolean", default: false }
      }
    })
    return values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
    process.exit(2)
  }
}
const { base, help, open } = given()
if (help) {
  console.log(usage)
  process.exit()
}

/** Links within the site whose page or anchor does not exist. */
const brokenLinks = (): ReadonlyArray<string> => {
  const files = readdirSync(dist, { encoding: "utf8", recursive: true }).map((file) =>
    file.replace(/\\/g, "/")
  )
  const pages = new Map(
    files
      .filter((file) => file.endsWith(".html"))
      .map((file) => [file, readFileSync(join(dist, file), "utf8")])
  )
  const exists = ({ hash, pathname }: URL) => {
    const file = pathname.slice(base.length).replace(/(^|\/)$/, "$1index.html")
    const id = decodeURIComponent(hash.slice(1))
    return id === "" ? files.includes(file) : pages.get(file)?.includes(`id="${id}"`)
  }
  return [...pages].flatMap(([page, html]) =>
    Array.from(html.matchAll(/<a [^>]*?href="([^"]+)"/g), ([, href = ""]) => href)
      .filter((href) => {
        const url = new URL(href, `http://site.test${base}${page}`)
        return url.host === "site.test" && !exists(url)
      })
      .map((href) => `${page}: ${href} leads nowhere`)
  )
}

/** Whether the site was built from these files, for this base. */
const isBuilt = (): boolean => {
  const index = join(dist, "index.html")
  if (!existsSync(index) || !readFileSync(index, "utf8").includes(`="${base}assets/`)) return false
  const builtMillis = statSync(index).mtimeMs
  const listed = ["ls-files", "--cached", "--others", "--exclude-standard"]
  const files = execFileSync("git", listed, { cwd: root, encoding: "utf8" }).trim().split("\n")
  return files.every((file) => {
    const changed = statSync(join(root, file), { throwIfNoEntry: false })
    return changed !== undefined && changed.mtimeMs <= builtMillis
  })
}

if (!open || !isBuilt()) {
  api.write()
  await build(docs, { base })
  for (const file of ["openapi.json", "sizes.json"]) cpSync(join(docs, file), join(dist, file))
}
const broken = brokenLinks()
for (const line of broken) console.error(line)
if (broken.length > 0) process.exitCode = 1
else if (open) {
  const port = 4012
  await serve(base, port)
  console.log(`The site is at http://127.0.0.1:${port}${base}`)
} else console.log(`The site is in ${dist}. To read it: npm run site -- --open`)
