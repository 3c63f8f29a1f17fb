import { renderMermaidSVG } from "beautiful-mermaid"
import type { MarkdownRenderer } from "vitepress"
import { readdirSync, readFileSync } from "node:fs"
import { posix } from "node:path"

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
const included = /^(?:index|changelog|security|contributing)\.md$/

/** Points links to files of the repository at their pages. Links to source files become plain text. */
export const links = (md: MarkdownRenderer): void => {
  const { link_open: open } = md.renderer.rules
  md.renderer.rules["link_open"] = (tokens, index, options, env, self) => {
    const href = tokens[index]?.attrGet("href") ?? ""
    if (!/^(?:[a-z]+:|#|\/)/.test(href)) {
      const page: string = env.relativePath ?? ""
      const base = included.test(page) ? "." : posix.join("docs", posix.dirname(page))
      const [file = "", hash] = href.split("#")
      // No path leaves the repository.
      const target = pageOf(posix.join("/", base, file).slice(1))
      if (target === undefined) {
        const close = tokens.slice(index).find(({ type }) => type === "link_close")
        if (close !== undefined) close.tag = "span"
        return "<span>"
      }
      tokens[index]?.attrSet("href", hash === undefined ? target : `${target}#${hash}`)
    }
    return open?.(tokens, index, options, env, self) ?? ""
  }
}

/** The address of each error, of each exported name, and of each method of a service, such as `Payments.collect`. */
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
    for (const [, name = "", id = ""] of text.matchAll(/^### (\w+) .*\{#([\w-]+)\}$/gm)) {
      const key = `${module}.${name}`
      if (!found.has(key)) found.set(key, `/api/${page}#${id}`)
    }
  }
  return found
}

/** Links code that is a name, such as `Errors.outcome`. Other code may break between its words, so that tables fit. */
export const names =
  (docs: URL) =>
  (md: MarkdownRenderer): void => {
    const known = addresses(docs)
    const { code_inline: code } = md.renderer.rules
    md.renderer.rules.code_inline = (tokens, index, options, env, self) => {
      const { content = "" } = tokens[index] ?? {}
      const target = known.get(content)
      const around = tokens.slice(0, index).filter(({ type }) => type.startsWith("link_"))
      if (target !== undefined && around.at(-1)?.type !== "link_open") {
        return md.renderInline(`[\`${content}\`](${target})`, env)
      }
      return (code?.(tokens, index, options, env, self) ?? "").replace(/>[^<]*/, (text) =>
        text.replace(/(?<=[._/|(-])(?=[A-Za-z{])|(?<=[a-z])(?=[A-Z])/g, "<wbr>")
      )
    }
  }
