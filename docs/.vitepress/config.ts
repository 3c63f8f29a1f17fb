import { readdirSync, readFileSync } from "node:fs"
import { defineConfig } from "vitepress"
import { tabsMarkdownPlugin } from "vitepress-plugin-tabs"
import { version } from "../../packages/core/package.json"
import { diagrams, links, names } from "./markdown.js"

const docs = new URL("../", import.meta.url)

const titleOf = (page: string): string =>
  /^(?:title: "?|# )(.+?)"?$/m.exec(readFileSync(new URL(`${page}.md`, docs), "utf8"))?.[1] ?? page

/** Pages of a folder, by their names with spaces between. */
const pages = (folder: string, names: string) =>
  names.split(" ").map((name) => {
    const page = `${folder}${name}`
    return { text: titleOf(page), link: `/${page}` }
  })

/** The list of contents has at most 25 entries. */
const learn = [
  { text: "Start", items: pages("", "start install") },
  { text: "Concepts", items: pages("concepts/", "outcomes keys waiting retries workflows") },
  {
    text: "Guides",
    items: [
      ...pages("guides/", "shop collect payouts postgres transactions payment-links cards testing"),
      ...pages("guides/", "safe going-live index")
    ]
  },
  {
    text: "Reference",
    items: [
      ...pages("", "errors"),
      { text: "Sandbox", link: "/sandbox/" },
      { text: "CLI", link: "/packages/cli" },
      { text: "API", link: "/api/" },
      { text: "Operations and settings", link: "/operations" },
      ...pages("", "proved")
    ]
  }
]

const clients =
  "core token promises payments payouts transactions refunds payment-links cards catalogue"
const libraries = `${clients} service workflows workflow-engine`

const reference = [
  { text: "Reference", items: pages("", "operations settings durable") },
  { text: "Packages", items: pages("packages/", `${libraries} cli`) },
  { text: "Project", items: pages("", "versioning changelog security contributing") }
]

const sandbox = [{ text: "Sandbox", items: pages("sandbox/", "index curl scenarios page") }]

/** The modules of each package. */
const modules = [...libraries.split(" "), "sandbox"].map((name) => ({
  text: `@manilla/${name}`,
  link: `/api/${name}/`,
  items: readdirSync(new URL(`api/${name}/`, docs)).map((file) => {
    const module = file.replace(".md", "")
    return { text: module, link: `/api/${name}/${module}` }
  })
}))

const packages = {
  text: "Packages",
  items: [
    ...modules.map(({ items, text }) => ({ text, link: items[0]?.link })),
    { text: "@manilla/cli", link: "/packages/cli" }
  ]
}

export default defineConfig({
  title: "Manilla",
  description: "A TypeScript client for payments, payouts and virtual cards that cannot pay twice",
  lang: "en",
  transformHead: ({ siteData }) => [
    ["link", { rel: "icon", href: `${siteData.base}icon.svg`, type: "image/svg+xml" }]
  ],
  vite: { worker: { format: "es" } },
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: (md) => {
      md.use(tabsMarkdownPlugin)
      diagrams(md)
      links(md)
      names(docs)(md)
    }
  },
  // VitePress gives its home page no main landmark.
  transformHtml: (html) => html.replace('<div class="VPHome"', '<div role="main" class="VPHome"'),
  themeConfig: {
    footer: { message: `Manilla ${version}, for Node 20 or newer and Effect 3. MIT licence.` },
    nav: [
      { text: "Get started", link: "/start" },
      { text: "Playground", link: "/playground/" },
      { text: "Guides", link: "/guides/" },
      { text: "Errors", link: "/errors" },
      { text: "Reference", link: "/operations" },
      { text: "API", link: "/api/" }
    ],
    sidebar: {
      "/": learn,
      ...Object.fromEntries(
        reference.flatMap(({ items }) => items).map(({ link }) => [link, reference])
      ),
      "/sandbox/": sandbox,
      "/api/": [packages],
      // The modules of one package, and then the other packages.
      ...Object.fromEntries(
        modules.map(({ items, link, text }) => [link, [{ text, items }, packages]])
      )
    },
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        miniSearch: {
          searchOptions: {
            // The page of a word comes first, and reports and declarations come last. The browser
            // gets the text of this function, so it can use nothing from outside.
            boostDocument: (id, term) => {
              const pages: ReadonlyArray<readonly [RegExp, string]> = [
                [/^payouts?$/, "/guides/payouts"],
                [/^idempotency$/, "/concepts/keys"],
                [/^refunds?$/, "/guides/transactions"],
                [/^webhooks?$/, "/concepts/waiting"],
                [/^postgres(?:ql)?$/, "/guides/postgres"],
                [/^timeouts?$/, "/concepts/retries"]
              ]
              if (pages.some(([word, page]) => word.test(term) && id.includes(page))) return 10
              if (id.includes("/api/")) return 0.2
              const report =
                /(?:scale|performance|cold-starts|guarantees|fault-model|contributing|changelog)\.html|\/decisions\//
              return report.test(id) ? 0.3 : 1
            }
          }
        }
      }
    }
  }
})
