// The examples that are projects of their own, to be copied with the packages that they need.
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { exactIn, foldersIn, isOwn, manifestIn, root, tarballOf, withNeeded } from "./packages.js"

export const starters = ["shop", "shop-hono"]

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
    withNeeded(foldersIn(names)).map((folder) => {
      const file = tarballOf(folder)
      copyFileSync(join(tarballs, file), join(target, "manilla", file))
      return [manifestIn("packages", folder).name, `file:manilla/${file}`]
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
