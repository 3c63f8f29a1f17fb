// Runs the unit tests on the given versions of Node, each downloaded from npm by npx, and writes a
// report per version for scripts/report.mjs.
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { delimiter, dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { countsOn, reportOn } from "./report.mjs"

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))))

const versions = process.argv.slice(2)
if (versions.length === 0 || !versions.every((version) => /^\d+\.\d+\.\d+$/.test(version))) {
  console.error("Usage: npm run test:on -- VERSION..., with exact versions such as 22.23.3")
  process.exit(2)
}

/** The platform-specific npm package of Node. The "node" package only installs it through a script. */
const packageOf = (version) => {
  const platform = process.platform === "win32" ? "win" : process.platform
  const prefix = platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node"
  return `${prefix}-${platform}-${process.arch}@${version}`
}

/** The path of the installed Node, or `undefined` if the installation failed. */
const install = (version) => {
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

for (const version of versions) {
  rmSync(reportOn(version), { force: true })
  const node = install(version)
  let status = 1
  if (node === undefined) {
    console.error(`Node ${version} could not be installed.`)
  } else {
    console.log(`\nOn Node ${version}:`)
    const args = ["run", "--reporter=default", "--reporter=json"]
    status = spawnSync(
      node,
      ["node_modules/vitest/vitest.mjs", ...args, `--outputFile.json=${reportOn(version)}`],
      {
        // Tests that start `node` get the same version.
        env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
        stdio: ["ignore", "inherit", "inherit"],
        timeout: 1_800_000,
        killSignal: "SIGKILL"
      }
    ).status
  }
  const { failed, passed } = countsOn(version)
  console.log(`On Node ${version}: ${passed} passed, ${failed} failed`)
  if (status !== 0 || passed === 0 || failed > 0) process.exitCode = 1
}
