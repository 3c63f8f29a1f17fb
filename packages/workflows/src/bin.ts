#!/usr/bin/env node
/** `manilla-workflows`: looks inside a database of workflows, and operates them. */

try {
  await import("./internal/operate/main.js")
} catch (error) {
  const isMissing =
    error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
  if (!isMissing) throw error
  // The optional peers of this command.
  const packages = "@effect/cli @effect/platform-node @effect/printer @effect/printer-ansi"
  const message = `manilla-workflows needs packages that are not installed: npm install ${packages}`
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
