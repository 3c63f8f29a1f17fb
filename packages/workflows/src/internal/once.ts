/**
 * A function whose results are kept for as long as its arguments exist. Effect compiles each new schema anew:
 * schemas that each execution made would be half of its cost.
 */
export const once = <F extends (...args: Array<never>) => object>(make: F): F => {
  const root: Kept = new WeakMap()
  const kept = (...args: Array<never>): object => {
    let node = root
    for (const arg of args) {
      const next = node.get(arg) ?? new WeakMap()
      node.set(arg, next)
      node = next
    }
    const result = results.get(node) ?? make(...args)
    results.set(node, result)
    return result
  }
  return kept as F
}

type Kept = WeakMap<object, Kept>
const results = new WeakMap<Kept, object>()
