// Puts the programs that READMEs show into them: a code block below `<!-- program: FILE -->` is
// that file, from its first import to its end. With --check, fails when one differs.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"

const root = new URL("../", import.meta.url)
const files = [
  "README.md",
  ...readdirSync(new URL("packages/", root)).map((name) => `packages/${name}/README.md`)
].filter((file) => existsSync(new URL(file, root)))

const block = /<!-- program: (\S+) -->\n\n```ts\n[\s\S]*?```/g

for (const file of files) {
  const url = new URL(file, root)
  const text = readFileSync(url, "utf8")
  const current = text.replace(block, (_, program: string) => {
    const source = readFileSync(new URL(program, root), "utf8")
    return `<!-- program: ${program} -->\n\n\`\`\`ts\n${source.slice(source.indexOf("import "))}\`\`\``
  })
  if (current === text) continue
  if (process.argv.includes("--check")) {
    console.error(`${file} does not show the program as it is: run \`npm run readme\``)
    process.exitCode = 1
  } else {
    writeFileSync(url, current)
  }
}
