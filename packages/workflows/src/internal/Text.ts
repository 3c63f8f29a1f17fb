import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Text that every store keeps as it is. */
export const Storable = Schema.String.pipe(
  // Two texts with different lone surrogates are the same text in UTF-8.
  Schema.filter((text) => !/\p{Surrogate}/u.test(text), {
    description: "well-formed text, without a lone surrogate"
  }),
  // PostgreSQL cannot store it.
  Schema.filter((text) => !text.includes("\0"), {
    description: "without the character NUL (U+0000)"
  })
)

export const isStorable = Schema.is(Storable)

/** A key of the caller: 1 to 200 characters, without a space at either end. */
export const Key = Storable.pipe(
  Schema.filter((text) => text.length >= 1 && text.length <= 200, {
    description: "1 to 200 characters long"
  }),
  Schema.filter((text) => text.trim() === text, { description: "without a space at either end" })
)

/** Refuses the name of a step or a signal that no database stores, before the step runs. */
export const checkName = (name: string): Effect.Effect<void> =>
  isStorable(name)
    ? Effect.void
    : Effect.dieMessage(
        `the name ${JSON.stringify(name)} of a step must be well-formed text, without a lone surrogate or the character NUL (U+0000). Give it another name.`
      )
