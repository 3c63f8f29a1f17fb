/**
 * The tags of error classes. They must be unique, because errors of several packages can meet in one
 * `catchTag` or in an `HttpApi`.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

const tagOf = (value: unknown): unknown =>
  Predicate.hasProperty(value, "_tag") ? value._tag : undefined

/** The tag is a static member of some classes, and an instance member of others. */
const tagOfClass = (value: unknown): unknown => {
  // A `Config` is a function with a tag too.
  if (!Predicate.isFunction(value) || Effect.isEffect(value)) return undefined
  if (tagOf(value) !== undefined) return tagOf(value)
  try {
    return tagOf(Reflect.construct(value, [{}]))
  } catch {
    return undefined
  }
}

/** The tags of the error classes in the modules of a package. */
export const tagsIn = (modules: Readonly<Record<string, object>>): ReadonlyArray<string> =>
  Object.values(modules).flatMap((module) =>
    Object.values(module).map(tagOfClass).filter(Predicate.isString)
  )

/** The tags that occur more than once. */
export const repeated = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
  tags.filter((tag, index) => tags.indexOf(tag) !== index).sort()
