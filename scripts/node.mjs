// Installs a given version of Node from npm with npx.
import { spawnSync } from "node:child_process"

/**
 * Whether a version is exact, such as 22.23.3, and not a range.
 *
 * @param {string} version
 */
export const isExact = (version) => /^\d+\.\d+\.\d+$/.test(version)

/**
 * The platform-specific npm package of Node. The "node" package only installs it through a script.
 *
 * @param {string} version
 */
const packageOf = (version) => {
  const platform = process.platform === "win32" ? "win" : process.platform
  const prefix = platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node"
  return `${prefix}-${platform}-${process.arch}@${version}`
}

/**
 * The path of the installed Node. Throws if the installation failed.
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
  if (status !== 0 || !stdout.startsWith(`v${version}`)) throw new Error(`no Node ${version}`)
  return stdout.slice(version.length + 1).trim()
}
