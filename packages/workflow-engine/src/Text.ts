/**
 * Text that every engine of this package stores.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** An index of PostgreSQL takes 2,704 bytes. */
const maxLength = 600
const rule = `well-formed text of at most ${maxLength} characters, without a lone surrogate or the character NUL (U+0000)`

/**
 * Text of at most 600 characters that every store keeps as it is: two texts with different lone surrogates are the same
 * text in UTF-8, and PostgreSQL cannot store NUL.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Storable = Schema.String.pipe(
  Schema.filter((text) => text.length <= maxLength && !/[\p{Surrogate}\0]/u.test(text), {
    description: rule
  })
)

/**
 * @since 0.1.0
 * @category predicates
 */
export const isStorable = Schema.is(Storable)

/**
 * Refuses the name of a step or a signal that no database stores, before the step runs.
 *
 * @since 0.1.0
 * @category predicates
 */
export const checkName = (name: string): Effect.Effect<void> =>
  isStorable(name)
    ? Effect.void
    : Effect.dieMessage(
        `the name ${JSON.stringify(name)} of a step must be ${rule}. Give it another name.`
      )
