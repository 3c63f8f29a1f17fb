import { existsSync, readdirSync, readFileSync } from "node:fs"
import { defineConfig } from "vitepress"
import { tabsMarkdownPlugin } from "vitepress-plugin-tabs"
import { diagrams, links, names } from "./markdown.js"

const docs = new URL("../", import.meta.url)

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
  "cli",
  "sandbox"
]

const learn = [
  { text: "Start", items: pages("", "start", "install") },
  {
    text: "Concepts",
    items: pages("concepts/", "outcomes", "keys", "waiting", "retries", "defended", "workflows")
  },
  {
    text: "Guides",
    items: pages(
      "guides/",
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
      "going-live"
    )
  },
  {
    text: "Frameworks",
    items: pages("guides/", "http-api", "hono", "express", "next")
  },
  { text: "Move to Manilla", items: pages("guides/", "from-stripe", "from-rest") },
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
  { text: "Measurements", items: pages("", "performance", "scale") },
  { text: "Packages", items: pages("packages/", ...packages.slice(0, -1)) },
  { text: "Decisions", collapsed: true, items: pages("decisions/", ...namesIn("decisions/")) },
  { text: "Project", items: pages("", "changelog", "versioning", "security", "contributing") }
]

const api = packages.map((name) => ({
  text: `@manilla/${name}`,
  collapsed: true,
  items: namesIn(`api/${name}/`).map((module) => ({
    text: module,
    link: `/api/${name}/${module}`
  }))
}))

export default defineConfig({
  title: "Manilla",
  description: "A TypeScript client for payments, payouts and virtual cards that cannot pay twice",
  cleanUrls: false,
  srcExclude: ["**/node_modules/**"],
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: (md) => {
      md.use(tabsMarkdownPlugin)
      diagrams(md)
      links(md)
      names(docs)(md)
    }
  },
  themeConfig: {
    nav: [
      { text: "Start", link: "/start" },
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
      "/api/": api
    },
    outline: [2, 3],
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
