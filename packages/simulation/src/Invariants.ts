/**
 * What must hold after every run.
 */
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import type { Intention } from "./Intentions.js"

export const check = (
  sandbox: Sandbox.Service,
  intentions: ReadonlyArray<Intention>
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const intents = yield* sandbox.paymentIntents
    const violations: Array<string> = []

    for (const { name, words } of intentions) {
      const made = intents.filter(({ metadata }) => metadata?.["intention"] === name)
      const said = words.map((word) => word._tag)

      if (made.length > 1) violations.push(`${name}: money moved ${made.length} times`)
      if (said.includes("Applied") && made.length === 0) {
        violations.push(`${name}: called applied, and nothing was`)
      }
      if (said.every((tag) => tag === "NotApplied") && made.length > 0) {
        violations.push(`${name}: called not applied, and it was`)
      }
      if (said.every((tag) => tag === "Unknown")) {
        violations.push(`${name}: still unknown after the network was calm`)
      }
      for (const word of words) {
        if (word._tag === "Applied" && word.id !== undefined && word.id !== made[0]?.id) {
          violations.push(`${name}: told of ${word.id}, and it is ${made[0]?.id}`)
        }
      }
    }
    const foreign = intents.filter(
      ({ metadata }) => !intentions.some(({ name }) => name === metadata?.["intention"])
    )
    if (foreign.length > 0) violations.push(`${foreign.length} payments that nobody wanted`)
    for (const { id, status } of intents) {
      if (status === "PENDING") violations.push(`${id} has not settled`)
    }
    return violations
  })
