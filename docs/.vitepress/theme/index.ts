import { h } from "vue"
import { type Theme, withBase } from "vitepress"
import DefaultTheme from "vitepress/theme"
import { enhanceAppWithTabs } from "vitepress-plugin-tabs/client"
import lostResponse from "./lostResponse.svg?raw"
import "./style.css"

/** Part of the page, so that it stands still for readers who prefer that. */
const drawing = () => h("div", { class: "home-drawing", innerHTML: lostResponse })

/** The page of an unknown address. That of the theme has no main landmark. */
const notFound = () =>
  h("main", { class: "vp-doc not-found" }, [
    h("h1", "There is no such page"),
    h("p", ["The search finds every page. Or go ", h("a", { href: withBase("/") }, "home"), "."])
  ])

const theme: Theme = {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "home-hero-image": drawing, "not-found": notFound }),
  enhanceApp: ({ app }) => enhanceAppWithTabs(app)
}
export default theme
