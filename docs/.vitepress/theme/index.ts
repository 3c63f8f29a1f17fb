import { h } from "vue"
import { type Theme, withBase } from "vitepress"
import DefaultTheme from "vitepress/theme"
import { enhanceAppWithTabs } from "vitepress-plugin-tabs/client"
import lostResponse from "./lostResponse.svg?raw"
import "./style.css"

const ways = [
  ["Manilla", "/"],
  ["Start", "/start.html"],
  ["Guides", "/guides/"],
  ["Errors", "/errors.html"],
  ["Playground", "/playground/"]
] as const

const notFound = () =>
  h("main", { class: "not-found" }, [
    h("h1", "There is no such page"),
    ways.map(([text, path]) => h("p", h("a", { href: withBase(path) }, text)))
  ])

/** Part of the page, so that it stands still for readers who prefer that. */
const drawing = () => h("div", { class: "home-drawing", innerHTML: lostResponse })

const theme: Theme = {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "not-found": notFound, "home-hero-image": drawing }),
  enhanceApp: ({ app }) => enhanceAppWithTabs(app)
}
export default theme
