/** A program as one file, which starts in a fraction of the time. */
import * as Effect from "effect/Effect"
import * as esbuild from "esbuild"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The SQLite driver has native code, and DBOS reads files: both are loaded from where they are installed. */
const native: esbuild.Plugin = {
  name: "native",
  setup: (build) =>
    build.onResolve({ filter: /^(libsql|@dbos-inc\/dbos-sdk)$/ }, ({ path, resolveDir }) => ({
      path: createRequire(join(resolveDir, "importer.js")).resolve(path),
      external: true
    }))
}

/** Bundles a program for Node into a folder of its own, and returns its file. */
export const make = (source: string) =>
  Effect.gen(function* () {
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-bundle-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const outfile = join(directory, "program.mjs")
    yield* Effect.promise(() =>
      esbuild.build({
        entryPoints: [source],
        outfile,
        bundle: true,
        platform: "node",
        format: "esm",
        target: "node20",
        external: ["pg-native"],
        plugins: [native],
        banner: {
          js: 'import { createRequire as requireIn } from "node:module"; const require = requireIn(import.meta.url);'
        }
      })
    )
    return outfile
  })
