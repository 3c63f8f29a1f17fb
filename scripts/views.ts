// Bundles the views' library for the sandbox's page, which has no other build step, and the page of a runner of
// workflows, which shares the parts of that page.
import { buildSync } from "esbuild"
import { join } from "node:path"
import { emit } from "./generated.js"
import { licenceOf } from "./licences.js"
import { root } from "./packages.js"

for (const [entry, bundle] of [
  ["sandbox/page/preact.d.ts", "sandbox/page/preact.js"],
  ["workflows/page/main.js", "workflows/page/bundle.js"],
  ["workflows/page/main.css", "workflows/page/bundle.css"]
] as const) {
  const { outputFiles } = buildSync({
    absWorkingDir: join(root, "packages"),
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    legalComments: "none",
    minify: true,
    write: false
  })
  emit(`packages/${bundle}`, outputFiles[0]?.text ?? "")
}
for (const file of ["sandbox/page/preact", "workflows/page/bundle"]) {
  const licences = ["htm", "preact"].map((name) =>
    licenceOf(`packages/sandbox/node_modules/${name}`)
  )
  emit(`packages/${file}.LICENSES.txt`, licences.join("\n---\n\n"))
}
