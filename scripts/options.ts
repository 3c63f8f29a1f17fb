// The options of a command: integers, each with a default.
import { parseArgs } from "node:util"

/** Reads `--name N` for each default, and words. Ends the program with its usage if they are wrong. */
export const read = <Name extends string>(
  usage: string,
  defaults: Readonly<Record<Name, number>>,
  isWord: (word: string) => boolean = () => false
): { readonly word: string | undefined; readonly values: Readonly<Record<Name, number>> } => {
  const refuse = (problem: string): never => {
    console.error(`${problem}\n\n${usage}`)
    process.exit(2)
  }
  const parse = () => {
    try {
      const options = Object.keys(defaults).map((name) => [name, { type: "string" }] as const)
      return parseArgs({ options: Object.fromEntries(options), allowPositionals: true })
    } catch (error) {
      return refuse(String(error))
    }
  }
  const { positionals, values } = parse()
  const wrong = positionals.find((word, i) => i > 0 || !isWord(word))
  if (wrong !== undefined) refuse(`Unknown: ${wrong}`)
  const integers: Record<Name, number> = { ...defaults }
  for (const name in defaults) {
    const text = values[name]
    if (text === undefined) continue
    if (typeof text !== "string" || !/^\d{1,15}$/.test(text)) refuse(`--${name} must be an integer`)
    integers[name] = Number(text)
  }
  return { word: positionals[0], values: integers }
}
