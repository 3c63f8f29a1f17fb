/**
 * Finds the scenario that a request asks for.
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Scenario from "../../Scenario.js"
import * as refusal from "../rules/refusal.js"
import { metScenarioOf } from "../store/state.js"
import type { MetScenario, State } from "../store/state.js"
import { valueAt } from "./queue.js"
import type { Selectable } from "./queue.js"

export interface Scenarios extends ReturnType<typeof make> {}

/** Unless `lenient`, a magic value that is not listed, or not for the operation, is refused. */
export const make = ({ met_scenarios: met }: State, lenient: boolean) => {
  const byCode = (code: string | undefined, operation: string | undefined, field: string) => {
    const found = Scenario.scenarios.find(
      (one) => one.code === code && Scenario.appliesTo(one, operation)
    )
    return found === undefined && !lenient
      ? refusal.because("UNLISTED_MAGIC_VALUE", field, "must be listed in GET /_sandbox/scenarios")
      : Either.right(found)
  }

  const ofPhone = (phone: unknown, operation: string | undefined, field: string) =>
    Predicate.isString(phone) && phone.startsWith(Scenario.phonePrefix)
      ? byCode(/^\+9990000000(\d\d)$/.exec(phone)?.[1], operation, field)
      : Either.right(undefined)

  const ofAmount = (amount: unknown, operation: string | undefined, field: string) => {
    const code = Predicate.isString(amount) ? /^999\.99(?!00)(\d\d)$/.exec(amount)?.[1] : undefined
    return code === undefined ? Either.right(undefined) : byCode(code, operation, field)
  }

  return {
    /** The scenario that a request asks for, or why it cannot have it. */
    of: ({ body, headers, operation }: Selectable) => {
      const name = headers[Scenario.header]
      if (name !== undefined) return named(name, operation)
      const magic = Scenario.magicFields(operation)
      if (magic === undefined) return Either.right(undefined)
      const json = body()
      const { amount, phone = "" } = magic
      return Either.flatMap(ofPhone(valueAt(json, phone), operation, phone), (found) =>
        found === undefined
          ? ofAmount(valueAt(json, amount), operation, amount)
          : Either.right(found)
      )
    },
    /** The scenario of a phone number for an operation. */
    ofPhone: (phone: string, operation: string) => ofPhone(phone, operation, "phone_number"),
    /** Uses up a scenario that applies once per key. Returns `false` if it was used up before. */
    useOnce: (one: typeof MetScenario.Type): boolean => {
      if (met.get(metScenarioOf(one)) !== undefined) return false
      met.set(one)
      return true
    }
  }
}

const named = (name: string, operation: string | undefined) => {
  const found = Scenario.scenarios.find((one) => one.name === name)
  if (found === undefined) {
    const names = Scenario.scenarios.map((one) => one.name).join(", ")
    return unknownHeader(`must be one of ${names}`)
  }
  return Scenario.appliesTo(found, operation)
    ? Either.right(found)
    : unknownHeader(`${name} applies only to ${found.operations?.join(", ") ?? "all"}`)
}

const unknownHeader = (rule: string) =>
  refusal.because("UNKNOWN_SCENARIO", `headers.${Scenario.header}`, rule)

/** Refuses a request that asks for a refusal. */
export const check = (
  behaviour: Scenario.Behaviour | undefined
): Either.Either<void, refusal.Refusal> => {
  if (behaviour?._tag !== "Refuses") return Either.void
  const { code, message, status } = behaviour
  return Either.left(new refusal.Refusal({ status, code, message }))
}
