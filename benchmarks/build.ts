// Compiles the measured programs with esbuild, so that no loader runs in their processes. Manilla is bundled
// into them; its dependencies are not.
import { readFileSync, rmSync } from "node:fs"
import { build } from "esbuild"

export const built = new URL("dist/", import.meta.url)

const { dependencies }: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(new URL("package.json", import.meta.url), "utf8")
)
/** All dependencies of the measured programs, except Manilla. */
const external = Object.keys(dependencies)
  .filter((name) => !name.startsWith("@manilla/"))
  .flatMap((name) => [name, `${name}/*`])

/** Compiles files of this folder into `dist`. */
export const buildAll = (...files: ReadonlyArray<string>) => {
  rmSync(built, { recursive: true, force: true })
  return build({
    absWorkingDir: import.meta.dirname,
    entryPoints: [...files],
    outdir: "dist",
    outbase: ".",
    external,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning"
  })
}
