/**
 * The option that a person probably meant, if one is similar. Half of it may differ, in any case of letters, because
 * options are also codes of two letters, such as `BJ`. The command `manilla` compares longer names by another rule.
 */
export const nearest = (text: string, options: ReadonlyArray<string>): string | undefined => {
  const [best] = options
    .map((option) => ({ option, changes: changes(text.toLowerCase(), option.toLowerCase()) }))
    .filter(({ changes, option }) => changes * 2 <= option.length)
    .sort((one, other) => one.changes - other.changes)
  return best?.option
}

/** The number of characters to insert, to remove or to replace (Levenshtein). */
const changes = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let n = 0; n < from.length; n++) {
    const above = row
    row = [n + 1]
    for (let m = 0; m < to.length; m++) {
      const [left = 0, over = 0, corner = 0] = [row[m], above[m + 1], above[m]]
      row.push(Math.min(left + 1, over + 1, corner + (from[n] === to[m] ? 0 : 1)))
    }
  }
  return row[to.length] ?? 0
}
