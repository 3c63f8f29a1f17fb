/**
 * Invariants over instructions: a key moves money at most once, every request with it has the same
 * bytes, and the reported outcomes match the books.
 */
import { isDeepStrictEqual } from "node:util"
import type { Instruction } from "../Workload.js"
import * as Workload from "../Workload.js"
import * as Sent from "../Sent.js"
import type { Means } from "../Writes.js"
import * as Books from "./Books.js"
import type { Evidence } from "./Evidence.js"

/** The resources that the service made for an instruction, and how they differ from its request. */
const effects = (instruction: Instruction, means: Means, { made }: Books.Books) =>
  made[instruction.write]
    .filter(({ isOf }) => isOf(instruction))
    .map(({ call, fields, id, key, reference, status }) => {
      const body = Workload.bodyOf(instruction, call ?? instruction.name, means)
      const differences = Books.differences(body, fields)
      return { key, call, names: [id, reference], status, differences }
    })

/** Each key moved money at most once, and the reported outcomes match the books. */
export const appliedOnce = (evidence: Evidence, books: Books.Books): ReadonlyArray<string> => {
  const violations: Array<string> = []
  const { instructions, means } = evidence
  let total = means.made
  for (const instruction of instructions) {
    const { key, name } = instruction
    const made = effects(instruction, means, books)
    total += made.length
    const violate = (violation: string) =>
      violations.push(`${name} (${instruction.kind}): ${violation}`)
    // With a key, all calls make one resource. Without a key, each call makes its own.
    const scopes = Workload.isKeyed(instruction)
      ? [{ made, reported: Workload.outcomes(instruction) }]
      : instruction.calls.map((call) => ({
          made: made.filter((effect) => effect.call === call.name),
          reported: call.outcome === undefined ? [] : [call.outcome]
        }))
    for (const difference of made.flatMap(({ differences }) => differences)) {
      violate(`made with ${difference}`)
    }
    for (const { made, reported } of scopes) {
      const tags = reported.map(({ _tag }) => _tag)
      if (made.length > 1) violate(`applied ${made.length} times`)
      if (tags.includes("Applied") && made.length === 0)
        violate("reported applied, but nothing was made")
      if (tags.every((tag) => tag === "NotApplied") && made.length > 0) {
        violate("reported not applied, but it was applied")
      }
      for (const outcome of reported) {
        if (outcome._tag !== "Applied") continue
        for (const id of outcome.names) {
          if (!made.some(({ names }) => names.includes(id)))
            violate(`reported ${id} of another order`)
        }
        const { finalStatus } = outcome
        if (finalStatus !== undefined && !made.some(({ status }) => status === finalStatus)) {
          violate(`reported final status ${finalStatus}, but it is ${made[0]?.status}`)
        }
      }
    }
    if (Workload.isKeyed(instruction)) {
      if (made.some((effect) => effect.key !== key)) violate("made under another key")
      // The last call was made without faults, and with no earlier request in transit.
      const last = Workload.outcomes(instruction).at(-1)
      if (Workload.isUnknown(instruction) && last?._tag !== "NotApplied") {
        violate("still unknown after the faults had stopped")
      }
      if (Workload.isUnknown(instruction) && last?._tag === "NotApplied" && made.length > 0) {
        violate("the last call reported not applied, but it was applied")
      }
    }
    if (Workload.outcomes(instruction).length < instruction.calls.length)
      violate("a call never ended")
  }
  const all = Object.values(books.made).flat().length
  if (all !== total) violations.push(`${all - total} resources belong to no instruction`)
  return violations
}

/** All requests with one key are identical, over attempts, calls and processes. */
export const sameBytes = ({ sent }: Evidence): ReadonlyArray<string> =>
  Array.from(
    Sent.grouped(
      sent.filter((one) => Sent.isWrite(one) && one.key !== undefined),
      (one) => one.key ?? ""
    )
  ).flatMap(([key, writes]) =>
    new Set(writes.map(({ body, method, path }) => `${method} ${path} ${body}`)).size > 1
      ? [`${key}: sent with different bytes`]
      : []
  )

/** The body of each write is exactly what its instruction asks for. */
export const requestsMatchInstructions = ({
  instructions,
  means,
  sent
}: Evidence): ReadonlyArray<string> =>
  instructions.flatMap((instruction) =>
    instruction.calls.flatMap(({ name }) => {
      const expected = Workload.bodyOf(instruction, name, means)
      return sent.flatMap((one) =>
        one.call !== name || !Sent.isWrite(one) || isDeepStrictEqual(JSON.parse(one.body), expected)
          ? []
          : [`${name}: sent ${one.body} instead of ${JSON.stringify(expected)}`]
      )
    })
  )
