// Packs every package, and installs each tarball alone, with its peers, into an empty project: a
// program that imports all of its modules must compile and run there.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { published } from "./packages.js"

interface Manifest {
  readonly name: string
  readonly packageManager?: string
  readonly peerDependencies?: Record<string, string>
  readonly bin?: Record<string, string>
}

const root = fileURLToPath(new URL("../", import.meta.url))
const read = (file: string): Manifest => JSON.parse(readFileSync(join(root, file), "utf8"))
const run = (cwd: string, command: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

const work = mkdtempSync(join(tmpdir(), "manilla-pack-"))
const pnpm = read("package.json").packageManager ?? "pnpm"

run(root, "npx", "tsc", "-b", ...published.map((folder) => `packages/${folder}`))

const tarballs: Record<string, string> = {}
for (const folder of published) {
  const { name } = read(`packages/${folder}/package.json`)
  const packed = run(
    join(root, "packages", folder),
    "npx",
    "--yes",
    pnpm,
    "pack",
    "--json",
    "--pack-destination",
    work
  )
  tarballs[name] = `file:${(JSON.parse(packed) as { readonly filename: string }).filename}`
}

/** Imports the package whole and module by module, and holds one against the other. */
const program = (name: string, modules: ReadonlyArray<string>): string => `
import * as All from "${name}"
${modules.map((module) => `import * as ${module} from "${name}/${module}"`).join("\n")}

const modules = { ${modules.join(", ")} }
for (const [name, module] of Object.entries(modules)) {
  const whole: object = All[name as keyof typeof modules]
  if (Object.keys(whole).join() !== Object.keys(module).join()) throw new Error(name)
}
const hidden: string = "${name}/internal/anything"
const reached = await import(hidden).then(() => true, (error: { code?: string }) => error.code)
if (reached !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw new Error(\`internal: \${reached}\`)
console.log("${name}: " + Object.keys(All).length + " modules")
`

const compilerOptions = {
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable"],
  module: "nodenext",
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  types: []
}

for (const folder of published) {
  const { bin = {}, name, peerDependencies = {} } = read(`packages/${folder}/package.json`)
  const project = join(work, folder)
  mkdirSync(project)
  const { [name]: own, ...others } = tarballs
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({
      private: true,
      type: "module",
      dependencies: { [name]: own, ...peerDependencies },
      // Until they are published, the packages that it depends on come from here too.
      overrides: others
    })
  )
  const modules = readdirSync(join(root, "packages", folder, "src"))
    .filter((file) => /^[A-Z].*\.ts$/.test(file))
    .map((file) => file.slice(0, -".ts".length))
  writeFileSync(join(project, "main.ts"), program(name, modules))
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["main.ts"] })
  )
  run(project, "npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts")
  run(root, "npx", "tsc", "-p", project)
  process.stdout.write(run(project, "node", "main.js"))
  for (const command of Object.keys(bin)) run(project, "npx", "--no-install", command, "--help")
}

rmSync(work, { recursive: true, force: true })
