// Checks the tarballs of all packages: publint and arethetypeswrong find nothing, a second build gives the same
// bytes, and each size is within a tenth of that in docs/sizes.json. Outside CI, it writes that file instead.
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { bundled, modulesOf, published, root, tarballOf } from "./packages.js"
import { packInto, report } from "./project.js"

type Tarballs = ReadonlyMap<string, Uint8Array<ArrayBuffer>>

const read = (directory: string): Tarballs =>
  new Map(
    published.map((folder) => [
      folder,
      new Uint8Array(readFileSync(join(directory, tarballOf(folder))))
    ])
  )

/** Kinds of import that the packages do not support: they are ES modules with `exports`. */
const unsupported: ReadonlySet<string> = new Set(["node10", "node16-cjs"])

const lint = async (
  folder: string,
  tarball: Uint8Array<ArrayBuffer>
): Promise<ReadonlyArray<string>> => {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true })
  const types = await checkPackage(createPackageFromTarballData(tarball), {
    includeEntrypoints: folder === bundled ? [] : [...modulesOf(folder)]
  })
  const problems = types.types === false ? [] : types.problems
  return [
    ...messages
      // The sandbox leaves one file out of browsers, in the field that every bundler reads.
      .filter(({ code }) => code !== "USE_EXPORTS_OR_IMPORTS_BROWSER")
      .map((message) => formatMessage(message, pkg) ?? message.code),
    ...problems
      .filter((one) => !("resolutionKind" in one && unsupported.has(one.resolutionKind)))
      .map((problem) => JSON.stringify(problem))
  ]
}

const rebuilt = (): Tarballs => {
  const directory = mkdtempSync(join(tmpdir(), "manilla-tarballs-"))
  packInto(directory)
  const tarballs = read(directory)
  rmSync(directory, { recursive: true })
  return tarballs
}

const sizesFile = join(root, "docs/sizes.json")

/** The packages whose size is no longer as recorded. */
const resized = (tarballs: Tarballs): ReadonlyArray<string> => {
  const known: Readonly<Record<string, number>> = JSON.parse(readFileSync(sizesFile, "utf8"))
  return published.filter((folder) => {
    const size = tarballs.get(folder)?.length ?? 0
    return Math.abs(size - (known[folder] ?? 0)) > size / 10
  })
}

/** Returns what is wrong with the tarballs in a directory. */
export const check = async (directory: string): Promise<ReadonlyArray<string>> => {
  const tarballs = read(directory)
  const problems: Array<string> = []
  report("Linting the tarballs")
  for (const [folder, tarball] of tarballs) {
    for (const finding of await lint(folder, tarball)) problems.push(`${folder}: ${finding}`)
  }
  report("Building the tarballs again, to compare their bytes")
  for (const [folder, again] of rebuilt()) {
    if (Buffer.compare(again, tarballs.get(folder) ?? new Uint8Array()) !== 0) {
      problems.push(`${folder}: a second build has other bytes`)
    }
  }
  const changed = resized(tarballs)
  if (process.env["CI"] === undefined) {
    const sizes = Object.fromEntries(published.map((one) => [one, tarballs.get(one)?.length]))
    if (changed.length > 0) writeFileSync(sizesFile, `${JSON.stringify(sizes, null, 2)}\n`)
    return problems
  }
  const rule = "its size is not that of docs/sizes.json, which `npm run pack` writes"
  return [...problems, ...changed.map((folder) => `${folder}: ${rule}`)]
}
