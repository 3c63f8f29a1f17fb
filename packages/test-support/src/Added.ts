/**
 * A JSON value with members added that nobody knows, at any depth.
 */
import * as FastCheck from "effect/FastCheck"

const unknown = FastCheck.dictionary(
  FastCheck.oneof(
    FastCheck.constantFrom("new_field", "toString", "constructor", "success", "data", "error"),
    FastCheck.string({ minLength: 1, maxLength: 6 })
  ),
  FastCheck.jsonValue({ maxDepth: 2 }),
  { maxKeys: 3 }
)

/** Members named in `closed` are left as they are, and what is known keeps its value. */
export const to = (
  value: unknown,
  closed: ReadonlyArray<string> = []
): FastCheck.Arbitrary<unknown> => {
  if (Array.isArray(value)) {
    return FastCheck.tuple(...value.map((item) => to(item, closed))).map((items) => [...items])
  }
  if (typeof value !== "object" || value === null) return FastCheck.constant(value)
  const members = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      closed.includes(name) ? FastCheck.constant(member) : to(member, closed)
    ])
  )
  return FastCheck.tuple(unknown, FastCheck.record(members)).map(([more, known]) => ({
    ...more,
    ...known
  }))
}
