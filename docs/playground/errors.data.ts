/** The entries of the page of errors, by tag: causes, whether money moved, and what to do. */
import { readFileSync } from "node:fs"
import { createMarkdownRenderer, defineLoader } from "vitepress"

declare const data: Readonly<Record<string, string>>
export { data }

export default defineLoader({
  watch: ["../errors.md"],
  load: async ([page = ""]) => {
    const markdown = await createMarkdownRenderer("docs")
    const entries = readFileSync(page, "utf8").matchAll(/^## (\w+)\n\n((?:- .*\n)+)/gm)
    // Links of that page would lead elsewhere from this one.
    const render = (list: string) => markdown.render(list.replace(/\[(.+?)\]\(.+?\)/g, "$1"))
    return Object.fromEntries(Array.from(entries, ([, tag = "", list = ""]) => [tag, render(list)]))
  }
})
