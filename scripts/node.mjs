// Node in a version of one's choice, downloaded from npm by npx.
import { spawnSync } from "node:child_process"

/**
 * Whether a version is one and not a range, like 22.23.3.
 *
 * @param {string} version
 */
export const isExact = (version) => /^\d+\.\d+\.\d+$/.test(version)

/**
 * The package that holds Node itself. npm's "node" only installs this one, by a script.
 *
 * @param {string} version
 */
const packageOf = (version) => {
  const platform = process.platform === "win32" ? "win" : process.platform
  const prefix = platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node"
  return `${prefix}-${platform}-${process.arch}@${version}`
}

/**
 * The path of that Node, or nothing if it is not to be had.
 *
 * @param {string} version
 */
export const install = (version) => {
  const program = "process.version+process.execPath"
  const { status, stdout } = spawnSync(
    "npx",
    ["--yes", "--package", packageOf(version), "--", "node", "-p", program],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      timeout: 600_000,
      shell: process.platform === "win32"
    }
  )
  const found = status === 0 && stdout.startsWith(`v${version}`)
  return found ? stdout.slice(version.length + 1).trim() : undefined
}
