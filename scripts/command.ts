// Bundles the command `manilla-sandbox` into one file, for its package: from about 700 modules it starts
// several times slower. The licences of the bundled packages are written beside it.
import { buildSync } from "esbuild"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./packages.js"

const outfile = join(root, "packages/sandbox/dist/manilla-sandbox.js")

const { metafile } = buildSync({
  absWorkingDir: root,
  entryPoints: ["packages/sandbox/src/bin.ts"],
  outfile,
  bundle: true,
  metafile: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minifySyntax: true,
  // Bundled CommonJS modules use `require` for Node's modules. A bundled module may import `createRequire`.
  banner: {
    js: `import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);`
  },
  logLevel: "error"
})

/** The folders of the packages from node_modules in the bundle. */
const folders = new Set(
  Object.keys(metafile.inputs).flatMap((path) => {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
    return folder === undefined ? [] : [folder]
  })
)

const licenceOf = (folder: string): string => {
  const directory = join(root, folder)
  const { license, name, version }: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(join(directory, "package.json"), "utf8")
  )
  const file = readdirSync(directory).find((one) => /^licen[cs]e/i.test(one))
  if (file === undefined) throw new Error(`${folder} has no licence file`)
  const text = readFileSync(join(directory, file), "utf8").trim()
  return `${name} ${version} (${license})\n\n${text}\n`
}

writeFileSync(`${outfile}.LICENSES.txt`, [...folders].sort().map(licenceOf).join("\n---\n\n"))
