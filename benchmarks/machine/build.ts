// Compiles the packages and the benchmarks to JavaScript, file by file, as they would be installed, so
// that no loader runs in a measured process.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = new URL("../../", import.meta.url)

/** Inside the benchmarks folder, so that their dependencies resolve. */
export const built = new URL("benchmarks/dist/", root)

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, string | null>>
}

/** Not `recursive`, which follows the links in `node_modules`, and packages link to each other in cycles. */
const filesIn = (folder: URL): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = new URL(entry.isDirectory() ? `${entry.name}/` : entry.name, folder)
    if (entry.isDirectory()) return /^(node_modules|dist)$/.test(entry.name) ? [] : filesIn(place)
    return entry.name.endsWith(".ts") ? [fileURLToPath(place)] : []
  })

const transpile = (from: URL, to: URL) =>
  build({
    entryPoints: [...filesIn(from)],
    outbase: fileURLToPath(from),
    outdir: fileURLToPath(to),
    format: "esm",
    target: "node20",
    sourcemap: "linked",
    logLevel: "warning"
  })

/** Installs a package with its exports pointing to the built files. */
const installPackage = async (folder: string): Promise<void> => {
  const source = new URL(`packages/${folder}/`, root)
  const manifestFile = new URL("package.json", source)
  if (!existsSync(manifestFile)) return
  const { exports, name }: Manifest = JSON.parse(readFileSync(manifestFile, "utf8"))
  const target = new URL(`packages/${folder}/`, built)
  await transpile(new URL("src/", source), new URL("src/", target))
  const builtExports = Object.entries(exports ?? {}).map(([key, file]) => [
    key,
    file?.replace(/\.ts$/, ".js") ?? null
  ])
  writeFileSync(
    new URL("package.json", target),
    JSON.stringify({
      name,
      type: "module",
      sideEffects: [],
      exports: Object.fromEntries(builtExports)
    })
  )
  symlinkSync(
    fileURLToPath(target),
    fileURLToPath(new URL(`node_modules/${name}`, built)),
    "junction"
  )
}

/** Builds the benchmarks and the packages that they use. */
export const buildAll = async (
  packages: ReadonlyArray<string> = ["core", "token", "payments", "transactions"]
): Promise<void> => {
  rmSync(built, { recursive: true, force: true })
  mkdirSync(new URL("node_modules/@manilla/", built), { recursive: true })
  writeFileSync(new URL("package.json", built), JSON.stringify({ type: "module" }))
  await transpile(new URL("benchmarks/", root), new URL("benchmarks/", built))
  for (const folder of packages) await installPackage(folder)
}
