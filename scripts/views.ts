// Copies the views' library of the sandbox's page into its folder, because the page has no build step.
import { buildSync } from "esbuild"
import { join } from "node:path"
import { emit } from "./generated.js"
import { licenceOf } from "./licences.js"
import { root } from "./packages.js"

const { outputFiles } = buildSync({
  stdin: {
    contents: `export { html, render } from "htm/preact"; export * from "preact/hooks"`,
    resolveDir: join(root, "packages/sandbox")
  },
  bundle: true,
  format: "esm",
  legalComments: "none",
  minify: true,
  write: false
})
emit("packages/sandbox/page/preact.js", outputFiles[0]?.text ?? "")
emit(
  "packages/sandbox/page/preact.LICENSES.txt",
  ["htm", "preact"]
    .map((name) => licenceOf(`packages/sandbox/node_modules/${name}`))
    .join("\n---\n\n")
)
