/** Finds writes without a key. TypeScript finds them too, but it is too large for this page. */
import { data as keyed } from "./keys.data.js"

export interface Problem {
  readonly line: number
  readonly message: string
}

/** The arguments of a call whose first parenthesis is at this place. */
const argumentsAt = (code: string, from: number): string => {
  let depth = 0
  for (let at = from; at < code.length; at++) {
    if (code[at] === "(") depth++
    if (code[at] === ")" && --depth === 0) return code.slice(from, at)
  }
  return code.slice(from)
}

/** Blanks texts and comments, in which a parenthesis or the word "key" means nothing. */
const bare = (code: string): string =>
  code.replace(/(["'`])(?:\\.|(?!\1).)*\1|\/\/.*/g, (text) => " ".repeat(text.length))

/** The first write of the program without a key. */
export const missing = (program: string): Problem | undefined => {
  const code = bare(program)
  /** The clients by the names that the program gives them, such as `yield* Payments.Payments`. */
  const clients = new Map(
    Array.from(
      code.matchAll(/\b(\w+)\s*=\s*(?:yield\*\s+)?(?:\w+\.)+(\w+)\b(?!\()/g),
      ([, name = "", client = ""]) => [name, client]
    )
  )
  for (const { 0: text, 1: name = "", 2: method = "", index } of code.matchAll(
    /\b(\w+)\.(\w+)\(/g
  )) {
    const client = (clients.get(name) ?? name).toLowerCase()
    const from = index + text.length - 1
    if (!keyed[client]?.includes(method) || /\bkey\b/.test(argumentsAt(code, from))) continue
    return {
      line: code.slice(0, from).split("\n").length,
      message: `${method} has no key, so this does not compile. Add { key: IdempotencyKey.derive("order", "42") }.`
    }
  }
  return undefined
}
