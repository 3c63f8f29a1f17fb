#!/usr/bin/env node
/** `manilla-workflows`: looks inside a database of workflows, and operates them. */
import { readFileSync } from "node:fs"

try {
  await import("./internal/operate/main.js")
} catch (error) {
  const isMissing =
    error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
  if (!isMissing) throw error
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8")
  const { peerDependencies }: { readonly peerDependencies: Readonly<Record<string, string>> } =
    JSON.parse(manifest)
  // The optional peers of this command, in versions that fit: the latest ones may be too new.
  const packages = ["cli", "platform-node", "printer", "printer-ansi"]
    .map((name) => `"@effect/${name}@${peerDependencies[`@effect/${name}`]}"`)
    .join(" ")
  const message = `manilla-workflows needs packages that are not installed: npm install ${packages}`
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
