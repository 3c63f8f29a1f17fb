// Runs the unit tests on the given versions of Node, each downloaded from npm by npx, and writes a
// report per version for scripts/report.mjs.
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { delimiter, dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { install, isExact } from "./node.mjs"
import { countsOn, reportOn } from "./report.mjs"

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))))

const versions = process.argv.slice(2)
if (versions.length === 0 || !versions.every(isExact)) {
  console.error("Usage: npm run test:on -- VERSION..., with exact versions such as 22.23.3")
  process.exit(2)
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
