/** The entries of the page of errors, by tag: causes, whether money moved, and what to do. */
import { readFileSync } from "node:fs"
import { createMarkdownRenderer, defineLoader } from "vitepress"

declare const data: Readonly<Record<string, string>>
export { data }

const file = new URL("../errors.md", import.meta.url)

export default defineLoader({
  watch: ["../errors.md"],
  load: async () => {
    const markdown = await createMarkdownRenderer("docs")
    const entries = readFileSync(file, "utf8").matchAll(/^## (\w+)\n\n((?:- .*\n)+)/gm)
    return Object.fromEntries(
      [...entries].map(([, tag = "", list = ""]) => [
        tag,
        // Links of that page would lead elsewhere from this one.
        markdown.render(list.replace(/\[(.+?)\]\(.+?\)/g, "$1"))
      ])
    )
  }
})
