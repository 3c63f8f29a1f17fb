import type { Theme } from "vitepress"
import DefaultTheme from "vitepress/theme"
import { enhanceAppWithTabs } from "vitepress-plugin-tabs/client"
import "./style.css"

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => enhanceAppWithTabs(app)
}
export default theme
