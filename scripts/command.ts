// Bundles the commands `manilla-sandbox` and `manilla` for their packages: from about 700 modules they start several
// times slower. A part that is loaded with `import()` becomes a file of its own in the folder beside the command. The
// licences of the bundled packages are written beside it.
import { buildSync } from "esbuild"
import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { licencesIn } from "./licences.js"
import { root } from "./packages.js"

/** Bundles the command of a package. `external` is native code, which stays a dependency. */
const bundle = (folder: string, command: string, external: ReadonlyArray<string> = []): void => {
  const outdir = join(root, "packages", folder, "dist")
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: { [command]: `packages/${folder}/src/bin.ts` },
    outdir,
    chunkNames: `${command}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node20",
    minifySyntax: true,
    external: [...external],
    // Bundled CommonJS modules use `require` for Node's modules. A bundled module may import `createRequire`.
    banner: {
      js: `import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);`
    },
    logLevel: "error"
  })
  // The name of a part changes with its text. Those of earlier builds would be packed too.
  const parts = readdirSync(outdir, { recursive: true, encoding: "utf8" })
    .filter((file) => file.startsWith(`${command}/`))
    .map((file) => join(outdir, file))
  for (const part of parts) if (!(relative(root, part) in metafile.outputs)) rmSync(part)
  writeFileSync(join(outdir, `${command}.js.LICENSES.txt`), licencesIn(metafile))
}

bundle("sandbox", "manilla-sandbox")
bundle("cli", "manilla", ["@libsql/client"])
