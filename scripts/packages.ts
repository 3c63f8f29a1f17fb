// The folders of the published packages, and their public modules.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly version?: string
  readonly packageManager?: string
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
  readonly bin?: Record<string, string>
}

export const root = fileURLToPath(new URL("../", import.meta.url))

/** Reads the package.json of a folder. */
export const manifestIn = (...folder: ReadonlyArray<string>): Manifest =>
  JSON.parse(readFileSync(join(root, ...folder, "package.json"), "utf8"))

export const published: ReadonlyArray<string> = readdirSync(join(root, "packages")).filter(
  (name) => manifestIn("packages", name).private !== true
)

/** Modules that are not in the index, because they require an optional peer dependency. */
export const apart: ReadonlySet<string> = new Set([
  "UndiciClient",
  "UndiciModule",
  "command",
  "dbos",
  "postgres",
  "restate",
  "sqlite"
])

/** The package that is one bundle: only its index can be imported. */
export const bundled = "promises"

/** Whether a module is in the index of its package. A program chooses between `memory` and others. */
export const isInIndex = (module: string): boolean => !apart.has(module) && module !== "memory"

/** The public modules of a package; none of a command: its files with PascalCase names, and those that are not in the index. */
export const modulesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, "packages", folder, "src"))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length))
    .filter((name) => /^[A-Z][A-Za-z0-9]*$/.test(name) || !isInIndex(name))
    .sort()

/**
 * A dependency with the exact version in the catalog of pnpm-workspace.yaml, for `npm install`. The
 * latest version is too new for some packages.
 */
export const exactIn =
  (folder: string) =>
  (dependency: string): string => {
    const { version } = manifestIn(folder, "node_modules", dependency)
    if (version === undefined) throw new Error(`${dependency} of ${folder} has no version`)
    return `${dependency}@${version}`
  }

/** The peers of a package, for `npm install`. */
export const peersOf = (folder: string): ReadonlyArray<string> =>
  Object.keys(manifestIn("packages", folder).peerDependencies ?? {}).map(
    exactIn(`packages/${folder}`)
  )

const scope = "@manilla/"

export const isOwn = (name: string): boolean => name.startsWith(scope)

/** The folders of this repository's packages among dependencies. */
export const foldersIn = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter(isOwn).map((name) => name.slice(scope.length))

/** Packages with those of this repository that they need. */
export const withNeeded = (folders: ReadonlyArray<string>): ReadonlyArray<string> => {
  const needed = new Set(folders)
  // A set also visits what is added meanwhile.
  for (const folder of needed) {
    const { dependencies = {} } = manifestIn("packages", folder)
    foldersIn(Object.keys(dependencies)).forEach((it) => needed.add(it))
  }
  return [...needed].sort()
}

/** The file name of a package, as `pnpm pack` chooses it. */
export const tarballOf = (folder: string): string =>
  `manilla-${folder}-${manifestIn("packages", folder).version}.tgz`

/** The published packages that have modules. */
export const libraries: ReadonlyArray<string> = published.filter(
  (folder) => modulesOf(folder).length > 0
)
