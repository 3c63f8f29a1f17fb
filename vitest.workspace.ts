import { existsSync, readdirSync } from "node:fs"
import { defineWorkspace } from "vitest/config"

// `npm test` runs the folders `test`, and `npm run prove` the folders `prove`: what is slow, or needs a
// browser, a database server or the kill of a process. Workspace packages resolve to their TypeScript
// sources through `exports`, so nothing has to be built first.
const folders = readdirSync("packages").flatMap((name) => [
  { name, root: `packages/${name}`, folder: "test" },
  { name: `${name}/prove`, root: `packages/${name}`, folder: "prove" }
])

export default defineWorkspace([
  ...folders
    .filter(({ folder, root }) => existsSync(`${root}/${folder}`))
    .map(({ folder, name, root }) => ({
      extends: "./vitest.config.ts",
      root,
      test: {
        name,
        include: [`${folder}/**/*.test.ts`],
        // Files share a process, because loading Effect takes longer than most of them.
        poolOptions: { forks: { isolate: folder === "prove" } }
      }
    })),
  {
    extends: "./vitest.config.ts",
    root: "examples",
    test: { name: "examples", include: ["*/*.test.ts"] }
  }
])
