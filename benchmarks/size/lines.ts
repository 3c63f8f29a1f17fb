// The lines of the source of `packages/core`.
import { readdirSync, readFileSync } from "node:fs"

const source = new URL("../../packages/core/src/", import.meta.url)

const texts = (): ReadonlyArray<string> =>
  readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(new URL(file, source), "utf8"))

const count = (text: string): number => text.replace(/\n$/, "").split("\n").length

export const all = (): number => texts().reduce((sum, text) => sum + count(text), 0)

/** Without comments and blank lines. No string of the source contains the start of a block comment. */
export const ofCode = (): number =>
  texts().reduce((sum, text) => {
    const code = text.replace(/\/\*[\s\S]*?\*\//g, "").split("\n")
    return sum + code.filter((line) => !/^\s*(?:\/\/.*)?$/.test(line)).length
  }, 0)
