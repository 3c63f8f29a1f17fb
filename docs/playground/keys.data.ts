/** The methods that take a key, by the name of their client: a call of another one cannot end like a keyed write. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { defineLoader } from "vitepress"

declare const data: Readonly<Record<string, ReadonlyArray<string>>>
export { data }

const keyed = /^ {4}readonly (\w+): \(.*\) => Effect\.Effect<.*\bErrors\.KeyedWriteError\b.*>;$/gm

const packages = new URL("../../packages/", import.meta.url)

/** Private packages have none. */
const reportOf = (name: string): string => {
  const file = new URL(`${name}/api.txt`, packages)
  return existsSync(file) ? readFileSync(file, "utf8") : ""
}

export default defineLoader({
  load: () =>
    Object.fromEntries(
      readdirSync(packages).map((name) => [
        name,
        Array.from(reportOf(name).matchAll(keyed), ([, method = ""]) => method)
      ])
    )
})
