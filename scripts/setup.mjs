// Installs the locked dependencies with the pnpm version in package.json's "packageManager".
// Skips if the lock has not changed since the last successful install.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = new URL("../", import.meta.url)
const stamp = new URL("node_modules/.setup", root)
const read = (file) => readFileSync(new URL(file, root), "utf8")

const machine = `${process.version} ${process.platform} ${process.arch}`
const key = `${machine}\n${read("pnpm-workspace.yaml")}\n${read("pnpm-lock.yaml")}`

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== key) {
  rmSync(stamp, { force: true })
  const { packageManager } = JSON.parse(read("package.json"))
  const { error, status } = spawnSync(
    "npx",
    ["--yes", packageManager, "install", "--frozen-lockfile", "--config.update-notifier=false"],
    {
      cwd: fileURLToPath(root),
      stdio: ["ignore", "inherit", "inherit"],
      shell: process.platform === "win32"
    }
  )
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, key)
}
