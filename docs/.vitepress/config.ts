import { existsSync, readdirSync, readFileSync } from "node:fs"
import { defineConfig } from "vitepress"
import { tabsMarkdownPlugin } from "vitepress-plugin-tabs"
import { diagrams, headers, links, names } from "./markdown.js"

const docs = new URL("../", import.meta.url)

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../packages/core/package.json", docs), "utf8")
)

const titleOf = (page: string): string =>
  /^(?:title: "?|# )(.+?)"?$/m.exec(readFileSync(new URL(`${page}.md`, docs), "utf8"))?.[1] ?? page

const pages = (folder: string, ...names: ReadonlyArray<string>) =>
  names.map((name) => {
    const page = `${folder}${name}`
    return { text: titleOf(page), link: `/${page}` }
  })

const namesIn = (folder: string): ReadonlyArray<string> => {
  const url = new URL(folder, docs)
  return existsSync(url) ? readdirSync(url).map((file) => file.replace(/\.md$/, "")) : []
}

const packages = [
  "core",
  "token",
  "promises",
  "payments",
  "payouts",
  "transactions",
  "refunds",
  "payment-links",
  "cards",
  "catalogue",
  "workflows",
  "workflow-engine",
  "cli",
  "sandbox"
]

const learn = [
  { text: "Start", items: pages("", "start", "install") },
  {
    text: "Concepts",
    items: pages(
      "concepts/",
      "outcomes",
      "keys",
      "waiting",
      "retries",
      "defended",
      "workflows",
      "engines"
    )
  },
  {
    text: "Guides",
    items: pages(
      "guides/",
      "shop",
      "collect",
      "payouts",
      "transactions",
      "payment-links",
      "cards",
      "accounts",
      "testing",
      "telemetry",
      "network",
      "runtimes",
      "bundle",
      "safe",
      "going-live"
    )
  },
  {
    text: "Frameworks",
    items: pages("guides/", "http-api", "hono", "express", "next")
  },
  { text: "Move to Manilla", items: pages("guides/", "from-stripe", "from-rest", "effect-4") },
  { text: "When it fails", items: pages("", "errors") },
  {
    text: "Sandbox",
    items: pages("sandbox/", "index", "curl", "outcomes", "page")
  }
]

const reference = [
  {
    text: "Reference",
    items: pages("", "operations", "settings", "durable", "fault-model", "guarantees")
  },
  { text: "Measurements", items: pages("", "performance", "cold-starts", "scale") },
  { text: "Packages", items: pages("packages/", ...packages.slice(0, -1)) },
  { text: "Decisions", items: pages("decisions/", ...namesIn("decisions/")) },
  { text: "Project", items: pages("", "versioning", "changelog", "security", "contributing") }
]

const modules = (name: string) =>
  namesIn(`api/${name}/`).map((module) => ({ text: module, link: `/api/${name}/${module}` }))

const apiIndex = packages.map((name) => ({
  text: `@manilla/${name}`,
  link: modules(name)[0]?.link ?? "/api/"
}))

/** The modules of one package, and then the other packages. */
const api = Object.fromEntries(
  packages.map((name) => [
    `/api/${name}/`,
    [
      { text: `@manilla/${name}`, items: modules(name) },
      { text: "Packages", items: apiIndex }
    ]
  ])
)

export default defineConfig({
  title: "Manilla",
  description: "A TypeScript client for payments, payouts and virtual cards that cannot pay twice",
  locales: {
    root: { label: "English", lang: "en" },
    fr: { label: "Français", lang: "fr", link: "/fr/" }
  },
  srcExclude: ["**/node_modules/**"],
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: (md) => {
      md.use(tabsMarkdownPlugin)
      diagrams(md)
      links(md)
      headers(md)
      names(docs)(md)
    }
  },
  // VitePress gives its home page no main landmark.
  transformHtml: (html) => html.replace('<div class="VPHome"', '<div role="main" class="VPHome"'),
  themeConfig: {
    footer: { message: `Manilla ${version}, for Node 20 or newer and Effect 3. MIT licence.` },
    nav: [
      { text: "Start", link: "/start" },
      { text: "Playground", link: "/playground/" },
      { text: "Guides", link: "/guides/collect" },
      { text: "Errors", link: "/errors" },
      { text: "Reference", link: "/operations" },
      { text: "API", link: "/api/" }
    ],
    sidebar: {
      "/": learn,
      ...Object.fromEntries(
        reference.flatMap(({ items }) => items).map(({ link }) => [link, reference])
      ),
      "/api/": [{ text: "Packages", items: apiIndex }],
      ...api
    },
    outline: [2, 3],
    // Only the first page is in French.
    i18nRouting: false,
    search: {
      provider: "local",
      options: {
        miniSearch: {
          searchOptions: {
            // The words of a guide come before those of a declaration.
            boostDocument: (id) => (id.startsWith("/api/") ? 0.2 : 1)
          }
        }
      }
    }
  }
})
