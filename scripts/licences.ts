import type { Metafile } from "esbuild"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./packages.js"

/** The licences of the packages from node_modules in a bundle. */
export const licencesIn = ({ inputs }: Metafile): string => {
  const folders = Object.keys(inputs).flatMap((path) => {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
    return folder === undefined ? [] : [folder]
  })
  return [...new Set(folders)].sort().map(licenceOf).join("\n---\n\n")
}

/** The name, the version and the licence of the package in a folder. */
export const licenceOf = (folder: string): string => {
  const directory = join(root, folder)
  const { license, name, version }: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(join(directory, "package.json"), "utf8")
  )
  const file = readdirSync(directory).find((one) => /^licen[cs]e/i.test(one))
  if (file === undefined) throw new Error(`${folder} has no licence file`)
  const text = readFileSync(join(directory, file), "utf8").trim()
  return `${name} ${version} (${license})\n\n${text}\n`
}
