// The examples that are projects of their own, to be copied with the packages that they need.
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { exactIn, manifestIn, published, root } from "./packages.js"

export const starters = ["shop", "shop-hono"]

const isOwn = (name: string): boolean => name.startsWith("@manilla/")

const packages = new Map(
  published.map((folder) => {
    const manifest = manifestIn("packages", folder)
    return [manifest.name, manifest]
  })
)

/** Packages of this repository, with those that they need. */
const withNeeded = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const needed = new Set(names)
  // A set also visits what is added meanwhile.
  for (const name of needed) {
    const { dependencies = {} } = packages.get(name) ?? {}
    Object.keys(dependencies)
      .filter(isOwn)
      .forEach((it) => needed.add(it))
  }
  return [...needed].sort()
}

/** Copies a starter. Its packages of this repository are tarballs in a folder of the copy. */
export const copy = (name: string, target: string, tarballs: string): void => {
  const source = `examples/${name}`
  const tracked = execFileSync("git", ["ls-files", source], { cwd: root, encoding: "utf8" })
  for (const file of tracked.trim().split("\n")) {
    const to = join(target, file.slice(source.length))
    mkdirSync(dirname(to), { recursive: true })
    copyFileSync(join(root, file), to)
  }
  mkdirSync(join(target, "manilla"))
  const exact = exactIn(source)
  /** The entry of a package of npm is `NAME@VERSION`. */
  const ofNpm = (names: ReadonlyArray<string>) =>
    names.filter((it) => !isOwn(it)).map((it) => [it, exact(it).slice(it.length + 1)])
  const ofTarballs = (names: ReadonlyArray<string>) =>
    withNeeded(names.filter(isOwn)).map((it) => {
      const file = `${it.slice(1).replace("/", "-")}-${packages.get(it)?.version}.tgz`
      copyFileSync(join(tarballs, file), join(target, "manilla", file))
      return [it, `file:manilla/${file}`]
    })
  const manifest = manifestIn(source)
  const { dependencies = {}, devDependencies = {} } = manifest
  const names = Object.keys(dependencies)
  const replaced = {
    ...manifest,
    name: basename(target),
    dependencies: Object.fromEntries([...ofTarballs(names), ...ofNpm(names)]),
    devDependencies: Object.fromEntries(ofNpm(Object.keys(devDependencies)))
  }
  writeFileSync(join(target, "package.json"), `${JSON.stringify(replaced, undefined, 2)}\n`)
}
