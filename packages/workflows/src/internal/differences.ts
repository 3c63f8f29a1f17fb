import * as Predicate from "effect/Predicate"

/** The paths of the members in which two JSON values differ. */
export const differences = (left: unknown, right: unknown, path = ""): ReadonlyArray<string> => {
  if (isObject(left) && isObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)])
    return [...names].flatMap((name) =>
      differences(left[name], right[name], path === "" ? name : `${path}.${name}`)
    )
  }
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    return left.flatMap((item, i) => differences(item, right[i], `${path}[${i}]`))
  }
  return Object.is(left, right) ? [] : [path]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  Predicate.isRecord(value) && !Array.isArray(value)
