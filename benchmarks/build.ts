// Compiles the measured programs with esbuild, so that no loader runs in their processes. Manilla is bundled
// into them; its dependencies are not.
import { rmSync } from "node:fs"
import { build } from "esbuild"

export const built = new URL("dist/", import.meta.url)

/** Compiles files of this folder into `dist`. */
export const buildAll = (...files: ReadonlyArray<string>) => {
  rmSync(built, { recursive: true, force: true })
  return build({
    absWorkingDir: import.meta.dirname,
    entryPoints: [...files],
    outdir: "dist",
    outbase: ".",
    external: [
      "effect",
      "@effect/*",
      "@dbos-inc/*",
      "graphile-worker",
      "pg",
      "undici",
      "simple-statistics"
    ],
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning"
  })
}
