// Bundles `@manilla/promises` with all that it needs into one module: it has no dependencies, and lives beside any version of
// Effect. The declarations are printed from the same entry.
import { buildSync } from "esbuild"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { print } from "./declarations.js"
import { licencesIn } from "./licences.js"
import { root } from "./packages.js"

const outdir = join(root, "packages/promises/bundle")

const { metafile } = buildSync({
  absWorkingDir: root,
  entryPoints: { index: "packages/promises/src/index.ts" },
  outdir,
  bundle: true,
  metafile: true,
  minify: true,
  // Node prints the whole line of an error that nobody caught.
  lineLimit: 200,
  sourcemap: true,
  sourcesContent: false,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2022",
  logLevel: "error"
})
writeFileSync(join(outdir, "index.d.ts"), print())
writeFileSync(join(outdir, "LICENSES.txt"), licencesIn(metafile))
