// Writes a generated file. With --check, fails if the file is stale.
import { existsSync, readFileSync, writeFileSync } from "node:fs"

export const emit = (path: string, content: string): void => {
  const file = new URL(`../${path}`, import.meta.url)
  if (existsSync(file) && readFileSync(file, "utf8") === content) return
  if (process.argv.includes("--check")) {
    console.error(`${path} is stale: run \`npm run generate\``)
    process.exitCode = 1
  } else {
    writeFileSync(file, content)
  }
}
