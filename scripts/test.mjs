// Runs tests, and fails if one fails or none ran. The counts are in .reports:
//   node scripts/test.mjs test              the folders `test`, and the type tests
//   node scripts/test.mjs prove             the folders `prove`
//   node scripts/test.mjs test VERSION...   the folders `test` on other versions of Node, from npm
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { delimiter, dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { install, isExact } from "./node.mjs"

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))))

const [folder, ...versions] = process.argv.slice(2)
if (!["test", "prove"].includes(folder) || !versions.every(isExact)) {
  console.error("Usage: test.mjs test|prove [VERSION...], with exact versions such as 22.23.3")
  process.exit(2)
}

mkdirSync(".reports", { recursive: true })

// TypeScript 7.0 has no JavaScript API, so tstyche uses version 6.0, a dependency of this folder.
process.env.TSTYCHE_TYPESCRIPT_MODULE = import.meta.resolve("typescript")

const run = (node, ...args) => {
  const { error, status } = spawnSync(node, args, {
    // Tests that start `node` get the same version.
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 3_600_000,
    killSignal: "SIGKILL"
  })
  if (error !== undefined) console.error("Stopped after an hour:", error.message)
  if (status !== 0) process.exitCode = 1
}

// Three processes, because TestClock waits for real timers half of the time, and `prove` for other processes. A project
// cannot set this. The files of `test` share theirs, because loading Effect takes longer than most of them.
const processes = ["--poolOptions.forks.minForks=3", "--poolOptions.forks.maxForks=3"]
if (folder === "test") processes.push("--no-isolate")

const vitest = (name, node) =>
  run(
    node,
    "node_modules/vitest/vitest.mjs",
    "run",
    `--project=${folder}`,
    ...processes,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=.reports/${name}.json`
  )

if (versions.length === 0) {
  vitest(folder, process.execPath)
  if (folder === "test") run(process.execPath, "node_modules/tstyche/dist/bin.js")
}
for (const version of versions) {
  console.log(`\nOn Node ${version}:`)
  vitest(`${folder}-${version}`, install(version))
}
