import { renderMermaidSVG } from "beautiful-mermaid"
import type { MarkdownRenderer } from "vitepress"
import { readdirSync, readFileSync } from "node:fs"
import { posix } from "node:path"

type Token = ReturnType<MarkdownRenderer["parse"]>[number]

/** The words of a wider drawing are too small on a phone, which shows its description instead. */
const widest = 450

/** Draws the blocks of Mermaid when the site is built. The words after `mermaid` describe the picture. */
export const diagrams = (md: MarkdownRenderer): void => {
  const { fence } = md.renderer.rules
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const { content = "", info = "" } = tokens[index] ?? {}
    if (!info.startsWith("mermaid ")) return fence?.(tokens, index, options, env, self) ?? ""
    const svg = renderMermaidSVG(content, {
      bg: "var(--vp-c-bg)",
      fg: "var(--vp-c-text-1)",
      accent: "var(--vp-c-brand-1)",
      muted: "var(--vp-c-text-1)",
      font: "Inter",
      transparent: true
    })
    const html = md.utils.escapeHtml(JSON.stringify(svg.replace(/@import[^;]*;/g, "")))
    const label = md.utils.escapeHtml(info.slice("mermaid ".length))
    const isWide = Number(/<svg[^>]* width="([\d.]+)"/.exec(svg)?.[1]) > widest
    const drawing = `<div class="diagram" role="img" aria-label="${label}" v-html="${html}"></div>`
    return isWide ? `<div class="wide">${drawing}<p>${label}</p></div>` : drawing
  }
}

/** Breaks code between its words if it has to, so that tables fit. */
export const breaks = (md: MarkdownRenderer): void => {
  const { code_inline: code } = md.renderer.rules
  md.renderer.rules.code_inline = (...args) =>
    (code?.(...args) ?? "").replace(/>[^<]*/, (text) =>
      text.replace(/(?<=[._/|(-])(?=[A-Za-z{])|(?<=[a-z])(?=[A-Z])/g, "<wbr>")
    )
}

/** The pages of files that belong to no page of `docs`. */
const pageOf = (path: string): string | undefined => {
  const name = /^packages\/([\w-]+)(?:\/README\.md)?\/?$/.exec(path)?.[1]
  if (name === "sandbox") return "/sandbox/"
  if (name !== undefined) return `/packages/${name}`
  if (path === "README.md") return "/"
  if (path === "docs/decisions") return "/decisions/0001-effect-3-and-schema"
  if (path.startsWith("docs/")) return `/${path.slice("docs/".length)}`
  return /^(CHANGELOG|SECURITY|CONTRIBUTING)\.md$/.exec(path)?.[1]?.toLowerCase().replace(/^/, "/")
}

/** Included files, whose links start at the root of the repository. */
const included: ReadonlySet<string> = new Set([
  "index.md",
  "changelog.md",
  "security.md",
  "contributing.md"
])

/** Points links to files of the repository at their pages. Links to source files become plain text. */
export const links = (md: MarkdownRenderer): void => {
  md.core.ruler.after("inline", "links", ({ env, tokens }) => {
    const page: string = env.relativePath ?? ""
    const base = included.has(page) ? "." : posix.join("docs", posix.dirname(page))
    for (const { children } of tokens) {
      if (children === null) continue
      let isSource = false
      const kept = children.filter((token) => {
        if (token.type === "link_close") {
          const drop = isSource
          isSource = false
          return !drop
        }
        if (token.type !== "link_open") return true
        const href = token.attrGet("href") ?? ""
        if (/^(?:[a-z]+:|#|\/)/.test(href)) return true
        const [file = "", hash] = href.split("#")
        const path = posix.join(base, file)
        const target = pageOf(path)
        isSource = target === undefined
        if (target !== undefined) token.attrSet("href", hash ? `${target}#${hash}` : target)
        return !isSource
      })
      children.splice(0, children.length, ...kept)
    }
  })
}

/** The address of each exported name, and of each method of a service, such as `Payments.collect`. */
const addresses = (docs: URL): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const errors = readFileSync(new URL("errors.md", docs), "utf8")
  for (const [, tag = ""] of errors.matchAll(/^## (\w+)$/gm)) {
    found.set(tag, `/errors#${tag.toLowerCase()}`)
  }
  for (const file of readdirSync(new URL("api/", docs), { encoding: "utf8", recursive: true })) {
    const [, page, module = ""] = /^([\w-]+\/(\w+))\.md$/.exec(file) ?? []
    if (page === undefined) continue
    const text = readFileSync(new URL(`api/${file}`, docs), "utf8")
    for (const [, name = ""] of text.matchAll(/^### (\w+) /gm)) {
      found.set(`${module}.${name}`, `/api/${page}#${name.toLowerCase()}`)
    }
    const service = /^### Service [\s\S]*?\n### /m.exec(text)?.[0] ?? ""
    for (const [, name = ""] of service.matchAll(/^ {2}readonly (\w+):/gm)) {
      found.set(`${module}.${name}`, `/api/${page}#service`)
    }
  }
  return found
}

/** Links names in inline code, such as `Errors.outcome`, to the API reference. */
export const names =
  (docs: URL) =>
  (md: MarkdownRenderer): void => {
    const known = addresses(docs)
    md.core.ruler.after("inline", "names", ({ Token, env, tokens }) => {
      const page: string = env.relativePath ?? ""
      if (page.startsWith("api/")) return
      tokens.forEach((token, index) => {
        if (token.children === null || tokens[index - 1]?.type === "heading_open") return
        let depth = 0
        token.children = token.children.flatMap((child): Array<Token> => {
          depth += child.type === "link_open" ? 1 : child.type === "link_close" ? -1 : 0
          const target = child.type === "code_inline" ? known.get(child.content) : undefined
          if (target === undefined || depth > 0) return [child]
          const open = new Token("link_open", "a", 1)
          open.attrSet("href", target)
          return [open, child, new Token("link_close", "a", -1)]
        })
      })
    })
  }
