/**
 * What instructions came to: a key moves money at most once, stands for the same bytes whenever it is
 * sent, and callers were told the truth of it.
 */
import { isDeepStrictEqual } from "node:util"
import * as Amount from "@manilla/core/Amount"
import type { Instruction } from "../Workload.js"
import * as Workload from "../Workload.js"
import * as Sent from "../Sent.js"
import * as Books from "./Books.js"
import type { Evidence } from "./Evidence.js"

/** What an instruction came to at the service. */
interface Effected {
  readonly key: string | undefined
  /** The call, of what has no key. */
  readonly call: string | undefined
  readonly names: ReadonlyArray<string | undefined>
  readonly status: string | undefined
  /** What is not as it was wanted. */
  readonly otherwise: ReadonlyArray<string>
}

const effects = (
  instruction: Instruction,
  means: Workload.Means,
  { cards, intents, links, payouts }: Books.Books
): ReadonlyArray<Effected> => {
  const { key, kind, name } = instruction
  const unlike = (made: Readonly<Record<string, unknown>>, call = name) =>
    Books.unlike(Workload.bodyOf(instruction, call, means), made)
  switch (kind) {
    case "payments.create":
    case "payments.collect":
    case "payments.deposit":
      return intents
        .filter(({ metadata }) => metadata?.["instruction"] === name)
        .map((intent) => ({
          key: intent.idempotency_key,
          call: undefined,
          names: [intent.id, intent.reference],
          status: intent.status,
          otherwise: unlike({ ...intent })
        }))
    case "payouts.create":
    case "payouts.disburse":
      return payouts
        .filter(({ metadata }) => metadata["instruction"] === name)
        .map((payout) => ({
          key: payout.idempotency_key,
          call: undefined,
          names: [payout.id, payout.reference],
          status: payout.status,
          otherwise: unlike({ ...payout })
        }))
    case "cards.issue":
      return cards
        .filter(({ issuance_reference }) => issuance_reference === key)
        .map((card) => ({
          key: card.issuance_reference,
          call: undefined,
          names: [card.id],
          status: undefined,
          otherwise: unlike({
            customer_id: card.virtual_card_customer_id,
            debit_currency: card.charged_currency,
            // What was loaded on it: the wallet is in dollars, as the fee is.
            initial_balance: Amount.subtract(
              card.charged_amount ?? Books.nothing,
              card.issuance_fee_usd ?? Books.nothing
            )
          })
        }))
    case "paymentLinks.create":
      return links
        .filter(({ description }) => description?.startsWith(`${name}/`) === true)
        .map((link) => ({
          key: undefined,
          call: link.description ?? undefined,
          names: [link.id, link.reference],
          status: undefined,
          otherwise: unlike({ ...link }, link.description ?? undefined)
        }))
  }
}

/** Each key moved money at most once, and what callers were told is what the books say. */
export const onceAndTrue = (evidence: Evidence, books: Books.Books): ReadonlyArray<string> => {
  const violations: Array<string> = []
  const { instructions, means } = evidence
  let total = 0
  for (const instruction of instructions) {
    const { key, name } = instruction
    const made = effects(instruction, means, books)
    total += made.length
    const say = (what: string) => violations.push(`${name} (${instruction.kind}): ${what}`)
    /** What has a key is one thing over all of its calls; what has none, one for each call. */
    const scopes = Workload.isKeyed(instruction)
      ? [{ made, said: Workload.outcomes(instruction) }]
      : instruction.calls.map((call) => ({
          made: made.filter((effect) => effect.call === call.name),
          said: call.outcome === undefined ? [] : [call.outcome]
        }))
    for (const what of made.flatMap(({ otherwise }) => otherwise)) say(`made with ${what}`)
    for (const { made, said } of scopes) {
      const tags = said.map(({ _tag }) => _tag)
      if (made.length > 1) say(`applied ${made.length} times`)
      if (tags.includes("Applied") && made.length === 0) say("called applied, and nothing was")
      if (tags.every((tag) => tag === "NotApplied") && made.length > 0) {
        say("called not applied, and it was")
      }
      for (const outcome of said) {
        if (outcome._tag !== "Applied") continue
        for (const told of outcome.names) {
          if (!made.some(({ names }) => names.includes(told))) say(`told of ${told}: not its own`)
        }
        const settled = outcome.settled
        if (settled !== undefined && !made.some(({ status }) => status === settled)) {
          say(`told that it settled as ${settled}, and it is ${made[0]?.status}`)
        }
      }
    }
    if (Workload.isKeyed(instruction)) {
      if (made.some((effect) => effect.key !== key)) say("made under another key")
      // The last call was made while nothing was on its way and nothing went wrong.
      const said = Workload.outcomes(instruction)
      const last = said.at(-1)
      if (Workload.isOpen(instruction) && last?._tag !== "NotApplied") {
        say("still unknown after everything was calm")
      }
      if (Workload.isOpen(instruction) && last?._tag === "NotApplied" && made.length > 0) {
        say("called not applied in the end, and it was")
      }
    }
    if (Workload.outcomes(instruction).length < instruction.calls.length) say("a call never ended")
  }
  const all = books.intents.length + books.payouts.length + books.cards.length + books.links.length
  if (all !== total) violations.push(`${all - total} things were made that nobody wanted`)
  return violations
}

/** A key stands for the same request, in every attempt, call and process. */
export const sameBytes = ({ sent }: Evidence): ReadonlyArray<string> =>
  Array.from(
    Sent.grouped(
      sent.filter((one) => Sent.isWrite(one) && one.key !== undefined),
      (one) => one.key ?? ""
    )
  ).flatMap(([key, own]) =>
    new Set(own.map(({ body, method, path }) => `${method} ${path} ${body}`)).size > 1
      ? [`${key}: sent with different bytes`]
      : []
  )

/** Each call sends what its instruction asks for, all of it and nothing else. */
export const asWanted = ({ instructions, means, sent }: Evidence): ReadonlyArray<string> =>
  instructions.flatMap((instruction) =>
    instruction.calls.flatMap(({ name }) => {
      const wanted = Workload.bodyOf(instruction, name, means)
      return sent.flatMap((one) =>
        one.call !== name || !Sent.isWrite(one) || isDeepStrictEqual(JSON.parse(one.body), wanted)
          ? []
          : [`${name}: sent ${one.body}, and ${JSON.stringify(wanted)} was wanted`]
      )
    })
  )
