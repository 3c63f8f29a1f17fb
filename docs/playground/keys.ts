/** Finds writes without a key. TypeScript finds them too, but it is too large for this page. */
const keyed: Readonly<Record<string, RegExp>> = {
  Payments: /^(create|collect|deposit)$/,
  Payouts: /^(create|disburse)$/,
  Cards: /^issue$/
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

/** A sentence for the first write of the program without a key. */
export const missing = (program: string): string | undefined => {
  const code = bare(program)
  for (const [, name = "", service = ""] of code.matchAll(/\b(\w+)\s*=\s*yield\*\s+(\w+)\.\w+/g)) {
    for (const call of code.matchAll(new RegExp(`\\b${name}\\.(\\w+)\\(`, "g"))) {
      const [text, method = ""] = call
      const from = call.index + text.length - 1
      if (!keyed[service]?.test(method) || /\bkey\b/.test(argumentsAt(code, from))) continue
      const line = code.slice(0, from).split("\n").length
      return `Line ${line}: ${method} has no key, so this does not compile. Add { key: IdempotencyKey.derive("order", "42") }.`
    }
  }
  return undefined
}
