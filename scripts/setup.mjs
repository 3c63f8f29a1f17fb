// Installs the locked dependencies with the pnpm version in package.json's "packageManager".
// Skips if no input has changed since the last successful install.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, "node_modules", ".setup")
const members = [
  ...readdirSync(join(root, "packages")).map((name) => join(root, "packages", name)),
  join(root, "benchmarks"),
  join(root, "docs"),
  join(root, "examples"),
  join(root, "scripts"),
  root
].filter((directory) => existsSync(join(directory, "package.json")))

const hash = createHash("sha256").update(`${process.version} ${process.platform} ${process.arch}`)
for (const file of [
  join(root, "pnpm-lock.yaml"),
  join(root, "pnpm-workspace.yaml"),
  ...members.map((directory) => join(directory, "package.json"))
]) {
  hash.update(`\0${file}\0`).update(readFileSync(file))
}
const key = hash.digest("hex")

const installed = members.every((directory) => existsSync(join(directory, "node_modules")))
if (!installed || !existsSync(stamp) || readFileSync(stamp, "utf8") !== key) {
  rmSync(stamp, { force: true })
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const { error, status } = spawnSync(
    "npx",
    ["--yes", packageManager, "install", "--frozen-lockfile"],
    { cwd: root, stdio: ["ignore", "inherit", "inherit"], shell: process.platform === "win32" }
  )
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, key)
}
