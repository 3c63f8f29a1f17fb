// Bundles a program as users do: with the command of docs/guides/bundle.md.
import { execSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./packages.js"

const guide = readFileSync(join(root, "docs/guides/bundle.md"), "utf8")
const [command] = /^npx esbuild main\.ts(?:.*\\\n)*.*/m.exec(guide) ?? []

/** Bundles a program into a file. */
export const bundleTo = (file: string, program: string): void => {
  if (command === undefined) throw new Error("The guide has no command")
  const quiet = `${command} --external:libsql --log-level=warning`
  execSync(quiet.replace("main.ts", `"${program}"`).replace("main.mjs", `"${file}"`), { cwd: root })
}
