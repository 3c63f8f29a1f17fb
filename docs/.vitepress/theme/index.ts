import { h } from "vue"
import { type Theme, withBase } from "vitepress"
import DefaultTheme from "vitepress/theme"
import { enhanceAppWithTabs } from "vitepress-plugin-tabs/client"
import "./style.css"

const notFound = () =>
  h("main", { class: "not-found" }, [
    h("h1", "There is no such page"),
    h("a", { href: withBase("/") }, "Manilla")
  ])

const theme: Theme = {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "not-found": notFound }),
  enhanceApp: ({ app }) => enhanceAppWithTabs(app)
}
export default theme
