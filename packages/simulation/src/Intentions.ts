/**
 * What callers want, and what they were told of it. An intention is one business operation: however
 * often it is called for, its money moves at most once.
 */
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Chance } from "./Chance.js"
import type { Trace } from "./Trace.js"

/** What a caller was told at the end of one call. */
export type Word =
  | { readonly _tag: "Applied"; readonly id: string | undefined }
  | { readonly _tag: "NotApplied"; readonly error: string }
  | { readonly _tag: "Unknown"; readonly error: string }

export interface Intention {
  readonly name: string
  readonly kind: Kind
  readonly key: IdempotencyKey.IdempotencyKey
  readonly words: Array<Word>
}

export const kinds = ["create", "collect"] as const
export type Kind = (typeof kinds)[number]

export const make = (index: number, chance: Chance): Intention => ({
  name: `order-${index}`,
  kind: chance.pick(kinds),
  key: IdempotencyKey.derive("order", String(index)),
  words: []
})

/** Calls for the intention once, and notes what was said of it. */
export const call = (intention: Intention, trace: Trace) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    const request = {
      country: "BJ",
      amount: "1500",
      currency: "XOF",
      payment_method: "mtn_momo",
      payer: { phone_number: "+2290161234567" },
      metadata: { intention: intention.name }
    }
    const options = { key: intention.key }
    const outcome =
      intention.kind === "create"
        ? payments.create({ ...request, operation: "COLLECTION" }, options)
        : payments.collect(request, options)
    return yield* outcome.pipe(
      Effect.map(({ id }): Word => ({ _tag: "Applied", id })),
      Effect.catchAll((error) => Effect.succeed(wordOf(error))),
      Effect.onInterrupt(() => note(intention, trace, { _tag: "Unknown", error: "Interrupted" })),
      Effect.tap((word) => note(intention, trace, word))
    )
  })

const note = (intention: Intention, trace: Trace, word: Word) =>
  Effect.sync(() => {
    intention.words.push(word)
    trace.write(
      intention.name,
      word._tag === "Applied" ? `applied, ${word.id}` : `${word._tag}: ${word.error}`
    )
  })

const isWriteError = Schema.is(Errors.WriteError)

/** Read as a caller of the library reads it: by the tag of the error alone. */
const wordOf = (error: Errors.WriteError | Payments.StillPending): Word => {
  if (!isWriteError(error)) return { _tag: "Applied", id: error.last?.id }
  switch (error._tag) {
    case "OutcomeUnknown":
      return { _tag: "Unknown", error: error._tag }
    case "AppliedUnreadable":
      return { _tag: "Applied", id: error.id }
    default:
      return { _tag: "NotApplied", error: error._tag }
  }
}

export const isOpen = ({ words }: Intention): boolean =>
  words.length > 0 && words.every(({ _tag }) => _tag === "Unknown")

export const lastId = ({ words }: Intention): Option.Option<string> =>
  Option.fromNullable(
    words
      .flatMap((word) => (word._tag === "Applied" && word.id !== undefined ? [word.id] : []))
      .at(-1)
  )
