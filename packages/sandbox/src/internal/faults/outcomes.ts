/**
 * Finds the outcome that a request asks for.
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Outcome from "../../Outcome.js"
import * as refusal from "../rules/refusal.js"
import { metOutcomeOf } from "../store/state.js"
import type { MetOutcome, State } from "../store/state.js"
import { valueAt } from "./queue.js"
import type { Request } from "./queue.js"

export interface Outcomes extends ReturnType<typeof make> {}

/** Unless `lenient`, a magic value that is not listed, or not for the operation, is refused. */
export const make = ({ met_outcomes: met }: State, lenient: boolean) => {
  const byCode = (code: string | undefined, operation: string | undefined, field: string) => {
    const found = Outcome.outcomes.find(
      (one) => one.code === code && Outcome.appliesTo(one, operation)
    )
    return found === undefined && !lenient
      ? refusal.because("UNLISTED_MAGIC_VALUE", field, "must be listed in GET /_sandbox/outcomes")
      : Either.right(found)
  }

  const ofPhone = (phone: unknown, operation: string | undefined, field: string) =>
    Predicate.isString(phone) && phone.startsWith(Outcome.phonePrefix)
      ? byCode(/^\+9990000000(\d\d)$/.exec(phone)?.[1], operation, field)
      : Either.right(undefined)

  const ofAmount = (amount: unknown, operation: string | undefined, field: string) => {
    const code = Predicate.isString(amount) ? /^999\.99(?!00)(\d\d)$/.exec(amount)?.[1] : undefined
    return code === undefined ? Either.right(undefined) : byCode(code, operation, field)
  }

  return {
    /** The outcome that a request asks for, or why it cannot have it. */
    of: ({ body, headers, operation }: Request) => {
      const name = headers[Outcome.header]
      if (name !== undefined) return named(name, operation)
      const magic = Outcome.magicFields(operation)
      if (magic === undefined) return Either.right(undefined)
      const json = body()
      const { amount, phone = "" } = magic
      return Either.flatMap(ofPhone(valueAt(json, phone), operation, phone), (found) =>
        found === undefined
          ? ofAmount(valueAt(json, amount), operation, amount)
          : Either.right(found)
      )
    },
    /** The outcome of a phone number for an operation. */
    ofPhone: (phone: string, operation: string) => ofPhone(phone, operation, "phone_number"),
    /** Uses up an outcome that applies once per key. Returns `false` if it was used up before. */
    useOnce: (one: typeof MetOutcome.Type): boolean => {
      if (met.get(metOutcomeOf(one)) !== undefined) return false
      met.set(one)
      return true
    }
  }
}

const named = (name: string, operation: string | undefined) => {
  const found = Outcome.outcomes.find((one) => one.name === name)
  if (found === undefined) {
    const names = Outcome.outcomes.map((one) => one.name).join(", ")
    return unknownHeader(`must be one of ${names}`)
  }
  return Outcome.appliesTo(found, operation)
    ? Either.right(found)
    : unknownHeader(`${name} applies only to ${found.operations?.join(", ") ?? "all"}`)
}

const unknownHeader = (rule: string) =>
  refusal.because("UNKNOWN_OUTCOME", `headers.${Outcome.header}`, rule)

/** Refuses a request that asks for a refusal. */
export const check = (
  behaviour: Outcome.Behaviour | undefined
): Either.Either<void, refusal.Refusal> => {
  if (behaviour?._tag !== "Refuses") return Either.void
  const { code, message, status } = behaviour
  return Either.left(new refusal.Refusal({ status, code, message }))
}
