/**
 * What must hold after every run.
 */
import type { Card } from "@manilla/cards/Card"
import * as Amount from "@manilla/core/Amount"
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Settlement from "@manilla/core/Settlement"
import type { PaymentLink } from "@manilla/payment-links/PaymentLink"
import type * as Ledger from "@manilla/sandbox/Ledger"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Transaction from "@manilla/transactions/Transaction"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Seen } from "./Audit.js"
import type { Call, Intention } from "./Intentions.js"
import * as Intentions from "./Intentions.js"
import * as Network from "./Network.js"

export interface Logged {
  readonly level: string
  readonly message: string
}

export interface Evidence {
  readonly sandbox: Sandbox.Service
  readonly policy: RetryPolicy.RetryPolicy
  readonly sent: ReadonlyArray<Network.Sent>
  readonly intentions: ReadonlyArray<Intention>
  readonly logs: ReadonlyArray<Logged>
  /** Then what was promised in minutes may last a few more. */
  readonly clockWasSet: boolean
  /** What the client read in the end, in the runs in which it did. */
  readonly seen: Seen | undefined
}

export const check = (evidence: Evidence): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const { sandbox } = evidence
    const books: Books = {
      intents: yield* sandbox.paymentIntents,
      payouts: yield* sandbox.payouts,
      cards: yield* sandbox.cards,
      links: yield* sandbox.paymentLinks,
      transactions: yield* sandbox.transactions,
      wallets: yield* sandbox.wallets,
      ledger: yield* sandbox.ledger
    }
    return [
      ...onceAndTrue(evidence, books),
      ...wordsOfCalls(evidence),
      ...settled(books),
      ...balanced(books),
      ...accountedFor(books),
      ...(evidence.seen === undefined ? [] : readTruly(evidence.seen, books)),
      ...withinPolicy(evidence),
      ...sameBytes(evidence),
      ...wentOn(evidence),
      ...tokens(evidence),
      ...told(evidence)
    ]
  })

interface Books {
  readonly intents: ReadonlyArray<Sandbox.StoredPaymentIntent>
  readonly payouts: ReadonlyArray<Sandbox.StoredPayout>
  readonly cards: ReadonlyArray<Card>
  readonly links: ReadonlyArray<PaymentLink>
  readonly transactions: ReadonlyArray<Sandbox.StoredTransaction>
  readonly wallets: ReadonlyArray<Sandbox.Wallet>
  readonly ledger: Ledger.Ledger
}

/** What an intention came to at the service. */
interface Effected {
  /** Whether a payment is collected or deposited. */
  readonly operation?: string | undefined
  readonly key: string | undefined
  /** The call, of what has no key. */
  readonly call: string | undefined
  readonly names: ReadonlyArray<string | undefined>
  readonly status: string | undefined
}

const effects = (
  { kind, key, name }: Intention,
  { cards, intents, links, payouts }: Books
): ReadonlyArray<Effected> => {
  switch (kind) {
    case "payments.create":
    case "payments.collect":
    case "payments.deposit":
      return intents
        .filter(({ metadata }) => metadata?.["intention"] === name)
        .map(({ id, idempotency_key, operation, reference, status }) => ({
          operation,
          key: idempotency_key,
          call: undefined,
          names: [id, reference],
          status
        }))
    case "payouts.create":
    case "payouts.disburse":
      return payouts
        .filter(({ metadata }) => metadata["intention"] === name)
        .map(({ id, idempotency_key, reference, status }) => ({
          key: idempotency_key,
          call: undefined,
          names: [id, reference],
          status
        }))
    case "cards.issue":
      return cards
        .filter(({ issuance_reference }) => issuance_reference === key)
        .map(({ id, issuance_reference }) => ({
          key: issuance_reference,
          call: undefined,
          names: [id],
          status: undefined
        }))
    case "paymentLinks.create":
      return links
        .filter(({ description }) => description?.startsWith(`${name}/`) === true)
        .map(({ description, id, reference }) => ({
          key: undefined,
          call: description ?? undefined,
          names: [id, reference],
          status: undefined
        }))
  }
}

/** Each key moved money at most once, and what callers were told is what the books say. */
const onceAndTrue = (evidence: Evidence, books: Books): ReadonlyArray<string> => {
  const violations: Array<string> = []
  const { intentions } = evidence
  let total = 0
  for (const intention of intentions) {
    const { key, name } = intention
    const made = effects(intention, books)
    total += made.length
    const say = (what: string) => violations.push(`${name} (${intention.kind}): ${what}`)
    /** What has a key is one thing over all of its calls; what has none, one for each call. */
    const scopes = Intentions.isKeyed(intention)
      ? [{ made, said: Intentions.words(intention) }]
      : intention.calls.map((call) => ({
          made: made.filter((effect) => effect.call === call.name),
          said: call.word === undefined ? [] : [call.word]
        }))
    for (const { made, said } of scopes) {
      const tags = said.map(({ _tag }) => _tag)
      if (made.length > 1) say(`applied ${made.length} times`)
      if (tags.includes("Applied") && made.length === 0) say("called applied, and nothing was")
      if (tags.every((tag) => tag === "NotApplied") && made.length > 0) {
        say("called not applied, and it was")
      }
      for (const word of said) {
        if (word._tag !== "Applied") continue
        for (const told of word.names) {
          if (!made.some(({ names }) => names.includes(told))) say(`told of ${told}: not its own`)
        }
        const settled = word.settled
        if (settled !== undefined && !made.some(({ status }) => status === settled)) {
          say(`told that it settled as ${settled}, and it is ${made[0]?.status}`)
        }
      }
    }
    if (Intentions.isKeyed(intention)) {
      if (made.some((effect) => effect.key !== key)) say("made under another key")
      const expected = intention.kind === "payments.deposit" ? "DEPOSIT" : "COLLECTION"
      for (const { operation } of made) {
        if (operation !== undefined && operation !== expected) say(`made as a ${operation}`)
      }
      // The last call was made while nothing was on its way and nothing went wrong.
      const said = Intentions.words(intention)
      const last = said.at(-1)
      if (Intentions.isOpen(intention) && last?._tag !== "NotApplied") {
        say("still unknown after everything was calm")
      }
      if (Intentions.isOpen(intention) && last?._tag === "NotApplied" && made.length > 0) {
        say("called not applied in the end, and it was")
      }
    }
    if (Intentions.words(intention).length < intention.calls.length) say("a call never ended")
  }
  const all = books.intents.length + books.payouts.length + books.cards.length + books.links.length
  if (all !== total) violations.push(`${all - total} things were made that nobody wanted`)
  return violations
}

/** The word of each call is true of its own requests, those that came late included. */
const wordsOfCalls = ({ intentions, sent }: Evidence): ReadonlyArray<string> => {
  const violations: Array<string> = []
  for (const intention of intentions) {
    for (const { name, word } of intention.calls) {
      const writes = sent.filter((one) => one.call === name && Network.isWrite(one))
      const applied = writes.some(({ answered }) => answered.some((status) => status < 300))
      if (word?._tag === "NotApplied" && applied) {
        violations.push(`${name}: told ${word.error}, not applied, and it was`)
      }
      if (word?._tag === "Applied" && !applied) {
        violations.push(`${name}: told applied, and the service never said so`)
      }
      const id = writes
        .map(({ data }) => (Predicate.isRecord(data) ? data["id"] : undefined))
        .at(-1)
      if (word?._tag === "Applied" && Predicate.isString(id) && !word.names.includes(id)) {
        violations.push(`${name}: told applied, and not that it is ${id}`)
      }
      // Of an interrupted call nothing else is said.
      if (word?._tag !== "Unknown" || word.attempts === undefined) continue
      if (word.attempts !== writes.length) {
        violations.push(`${name}: told of ${word.attempts} attempts, and made ${writes.length}`)
      }
      const key = Intentions.isKeyed(intention) ? intention.key : undefined
      if (word.key !== key) violations.push(`${name}: told to go on with ${word.key}, not ${key}`)
    }
  }
  return violations
}

const settled = ({ intents, payouts, wallets }: Books): ReadonlyArray<string> => [
  ...[...intents, ...payouts].flatMap(({ reference, status }) =>
    status === "PENDING" ? [`${reference} has not settled`] : []
  ),
  ...wallets.flatMap(({ currency, reserved }) =>
    Amount.Equivalence(reserved, nothing) ? [] : [`${reserved} ${currency} is still reserved`]
  )
]

const nothing = Amount.Amount.make("0")

/** Debits are credits, in each entry and in all; no wallet is below zero; the balances add up. */
const balanced = ({ ledger, wallets }: Books): ReadonlyArray<string> => {
  const violations: Array<string> = []
  const postings = ledger.journal.flatMap((entry) => entry.postings)
  const sideOf = (side: Ledger.Side, of: ReadonlyArray<Ledger.Posting>, currency: string) =>
    Amount.sum(
      of.flatMap((one) =>
        one.side === side && one.account.currency === currency ? one.amount : []
      )
    )
  const currencies = new Set(postings.map(({ account }) => account.currency))
  for (const currency of currencies) {
    const differs = (of: ReadonlyArray<Ledger.Posting>) =>
      !Amount.Equivalence(sideOf("debit", of, currency), sideOf("credit", of, currency))
    if (differs(postings)) violations.push(`the ledger does not sum to zero in ${currency}`)
    for (const entry of ledger.journal) {
      if (differs(entry.postings)) violations.push(`entry ${entry.sequence} is not balanced`)
    }
  }
  for (const wallet of wallets) {
    const { available, currency, id, reserved } = wallet
    if ([available, reserved].some((balance) => Amount.compare(balance, nothing) < 0)) {
      violations.push(`the wallet in ${currency} is below zero`)
    }
    const own = postings.filter(
      ({ account }) => account.kind === "wallet available" && account.wallet_id === id
    )
    const kept = Amount.subtract(sideOf("credit", own, currency), sideOf("debit", own, currency))
    if (!Amount.Equivalence(kept, available)) {
      violations.push(`the wallet in ${currency} has ${available}, and its entries give ${kept}`)
    }
  }
  return violations
}

/** Every movement is a transaction that the client can see, and the wallets hold what they sum to. */
const accountedFor = (books: Books): ReadonlyArray<string> => {
  const violations: Array<string> = []
  const { cards, intents, ledger, payouts, transactions, wallets } = books

  for (const { amount, reference, status } of [...intents, ...payouts]) {
    const own = transactions.filter(({ source }) => source === reference)
    const expected = status === "COMPLETED" ? 1 : 0
    if (own.length !== expected) {
      violations.push(`${reference} is ${status}, and has ${own.length} transactions`)
    }
    if (own.some((one) => !Amount.Equivalence(one.amount, amount))) {
      violations.push(`the transaction of ${reference} is of another amount`)
    }
  }
  const issued = ledger.journal.filter(({ description }) => description === "card issued")
  if (issued.length !== cards.length) {
    violations.push(`${issued.length} cards were paid for, and there are ${cards.length}`)
  }

  for (const { available, currency } of wallets) {
    const opening = ledger.journal
      .filter(({ description }) => description === "opening balance")
      .flatMap((entry) => entry.postings)
      .filter(({ account }) => account.kind === "wallet available")
    const moved = transactions.filter((one) => one.currency === currency)
    const of = (...operations: ReadonlyArray<string>) =>
      moved.filter(({ operation }) => operations.includes(operation ?? ""))
    const incoming = [
      ...opening.filter(({ account }) => account.currency === currency).map((one) => one.amount),
      ...of("COLLECTION", "DEPOSIT").map((one) => one.net_amount)
    ]
    const outgoing = [
      ...of("PAYOUT", "REFUND").flatMap((one) => [one.amount, one.fee_amount]),
      ...cards.flatMap((card) =>
        card.charged_currency === currency ? (card.charged_amount ?? []) : []
      )
    ]
    const expected = Amount.subtract(Amount.sum(incoming), Amount.sum(outgoing))
    if (!Amount.Equivalence(expected, available)) {
      violations.push(`the wallet in ${currency} has ${available}, and ${expected} was moved to it`)
    }
  }
  return violations
}

/** What the client read, page by page, is what the books say. */
const readTruly = (seen: Seen, { cards, links, transactions }: Books): ReadonlyArray<string> => {
  const violations: Array<string> = []
  const compare = (
    what: string,
    made: ReadonlyArray<string>,
    read: ReadonlyArray<string>
  ): void => {
    const missing = made.filter((name) => !read.includes(name))
    if (missing.length > 0 || read.length !== made.length) {
      violations.push(`${made.length} ${what} were made, and ${read.length} were read`)
    }
  }
  const id = (one: { readonly id: string }) => one.id
  const reference = (one: { readonly reference: string }) => one.reference
  compare("cards", cards.map(id), seen.cards.map(id))
  compare("links", links.map(id), seen.links.map(id))
  compare("transactions", transactions.map(reference), seen.transactions.map(reference))

  const listed = new Map(seen.transactions.map((one) => [one.reference, one]))
  for (const transaction of transactions) {
    const read = listed.get(transaction.reference)
    if (read === undefined) continue
    if (!Amount.Equivalence(read.amount, transaction.amount)) {
      violations.push(`${transaction.reference} was read with another amount`)
    } else if (!Transaction.isNetExact(read)) {
      violations.push(`the net amount of ${transaction.reference} is not exact`)
    }
  }
  for (const { reference, status } of seen.refunds) {
    if (status !== "COMPLETED") violations.push(`refund ${reference} is ${status}`)
  }
  return violations
}

/** Attempts, waits and retries are what the policy allows. */
const withinPolicy = (evidence: Evidence): ReadonlyArray<string> => {
  const { clockWasSet, intentions, policy, sent } = evidence
  const violations: Array<string> = []
  for (const [process, own] of grouped(sent, (one) => String(one.process))) {
    // The gateway has one budget; that of the tokens is another.
    for (const [gateway, part] of grouped(own, (one) => String(Network.isForToken(one)))) {
      let retries = 0
      let earned = 0
      for (const attempts of grouped(part, (one) => one.span).values()) {
        const [first] = attempts
        if (first === undefined) continue
        const name = `${first.call} ${first.method} ${first.path}`
        const renewed = attempts.slice(0, -1).some(({ heard }) => heard === 401) ? 1 : 0
        const tried = attempts.length - renewed
        if (tried > policy.attempts) {
          violations.push(`${name}: ${tried} attempts, and ${policy.attempts} are allowed`)
        }
        if (Network.isWrite(first) && first.key === undefined) onlyOnce(attempts, violations)
        waited(attempts, name, violations)
        retries += tried - 1
        if (attempts.some(({ heard }) => typeof heard === "number" && heard < 300)) {
          earned += tried > 1 ? 1 : 0.1
        }
      }
      if (retries > policy.budget + earned) {
        violations.push(
          `process ${process}: ${retries} retries${gateway === "true" ? " for tokens" : ""}, and ${policy.budget + earned} were to be had`
        )
      }
    }
  }
  if (clockWasSet) return violations
  for (const call of intentions.filter((one) => !Intentions.waits(one)).flatMap(callsOf)) {
    const tookMillis = call.endedMillis - call.startedMillis
    if (tookMillis > Duration.toMillis(policy.deadline) + 1) {
      violations.push(`${call.name}: took ${tookMillis} ms, beyond its deadline`)
    }
  }
  return violations
}

const callsOf = ({ calls }: Intention): ReadonlyArray<Call> => calls

/** Faults of a keyed write, or of a read, that time may mend. */
const passing = ["TransportFault", "TooManyRequests", "ServerFault", "TimedOut"]

/** No backoff is longer, with what the proxies here ask for. */
const longestPauseMillis = 11_000

/** What can be tried again is, while there are attempts and time; and a wait goes on until its end. */
const wentOn = ({ clockWasSet, intentions, policy, sent }: Evidence): ReadonlyArray<string> => {
  if (clockWasSet) return []
  const violations: Array<string> = []
  const deadlineMillis = Duration.toMillis(policy.deadline) - longestPauseMillis
  const waitMillis = Duration.toMillis(Settlement.defaults.deadline)
  for (const intention of intentions.filter(Intentions.isKeyed)) {
    for (const { endedMillis, name, startedMillis, word } of intention.calls) {
      if (word === undefined) continue
      const writes = sent.filter((one) => one.call === name && Network.isWrite(one))
      if (word._tag !== "Applied") {
        const renewed = writes.slice(0, -1).some(({ heard }) => heard === 401) ? 1 : 0
        const stopped =
          passing.some((tag) => word.error === tag || word.error === `OutcomeUnknown (${tag})`) &&
          writes.length - renewed < policy.attempts &&
          endedMillis - startedMillis < deadlineMillis
        // A budget that cannot run dry here: the other ones may have.
        if (stopped && policy.budget === 100) {
          violations.push(`${name}: gave up after ${writes.length} attempts, with time left`)
        }
      } else if (word.stopped !== undefined && passing.includes(word.stopped)) {
        const waitedMillis = endedMillis - (writes.at(-1)?.closedMillis ?? startedMillis)
        if (waitedMillis < waitMillis) {
          violations.push(`${name}: waited ${waitedMillis} ms, and stopped at ${word.stopped}`)
        }
      }
    }
  }
  return violations
}

/** Without a key nothing is sent again that may have been processed. */
const onlyOnce = (attempts: ReadonlyArray<Network.Sent>, violations: Array<string>): void => {
  for (const { call, heard } of attempts.slice(0, -1)) {
    if (heard !== 401 && heard !== "refused") {
      violations.push(`${call}: sent again without a key after ${heard}`)
    }
  }
}

/** `Retry-After` is waited for, and a refused token is not shown again. */
const waited = (
  attempts: ReadonlyArray<Network.Sent>,
  name: string,
  violations: Array<string>
): void => {
  attempts.forEach((attempt, index) => {
    const before = attempts[index - 1]
    if (before === undefined) return
    const millis = attempt.atMillis - before.closedMillis
    if (before.retryAfterMillis !== undefined && millis < before.retryAfterMillis) {
      violations.push(`${name}: asked to wait ${before.retryAfterMillis} ms, waited ${millis}`)
    }
    if (before.heard === 401 && before.authorization === attempt.authorization) {
      violations.push(`${name}: sent again with the token that was refused`)
    }
  })
}

/** A key stands for the same bytes, in every attempt, call and process. */
const sameBytes = ({ sent }: Evidence): ReadonlyArray<string> =>
  Array.from(
    grouped(
      sent.filter((one) => Network.isWrite(one) && one.key !== undefined),
      (one) => one.key ?? ""
    )
  ).flatMap(([key, own]) =>
    own.some(({ body }) => body !== own[0]?.body) ? [`${key}: sent with different bytes`] : []
  )

/**
 * A process asks for one token at a time, however many of its calls wait for one, and for none while
 * it has a good one. A token is not used beyond its end.
 */
const tokens = (evidence: Evidence): ReadonlyArray<string> =>
  Array.from(grouped(evidence.sent, (one) => String(one.process))).flatMap(([process, own]) => {
    const violations: Array<string> = []
    const say = (what: string) => violations.push(`process ${process}: ${what}`)
    const asked = own.filter(Network.isForToken)
    if (asked.some((one, index) => one.opened < (asked[index - 1]?.closed ?? 0))) {
      say("asked for two tokens at once")
    }
    if (evidence.clockWasSet) return violations
    const held = asked.flatMap((one) =>
      Option.match(readToken(one.data), {
        onNone: () => [],
        onSome: ({ access_token, expires_in }) => [
          { ...one, authorization: `Bearer ${access_token}`, lifeMillis: expires_in * 1000 }
        ]
      })
    )
    for (const { atMillis, authorization, lifeMillis } of held) {
      const late = own.find(
        (one) => one.authorization === authorization && one.atMillis > atMillis + lifeMillis
      )
      if (late !== undefined) say(`#${late.number} was sent with a token that had ended`)
    }
    for (const one of asked) {
      const latest = held.filter(({ closed }) => closed < one.opened).at(-1)
      if (latest === undefined) continue
      const refused = own.some(
        ({ authorization, closed, heard }) =>
          heard === 401 && authorization === latest.authorization && closed < one.opened
      )
      // Its life counts from the first attempt; renewal begins when a tenth of it is left.
      const first = asked.find(({ span }) => span === latest.span) ?? latest
      const old = one.atMillis >= first.atMillis + latest.lifeMillis * 0.9
      if (!refused && !old) say(`#${one.number} asked for a token, and there was a good one`)
    }
    return violations
  })

const readToken = Schema.decodeUnknownOption(
  Schema.Struct({ access_token: Schema.String, expires_in: Schema.Number })
)

/** An interruption does not pass in silence over a write that was, or may have been applied. */
const told = ({ intentions, logs, sent }: Evidence): ReadonlyArray<string> => [
  ...logs.flatMap(({ level, message }) =>
    level === "WARN" ? [] : [`logged as ${level}: ${message}`]
  ),
  ...intentions.flatMap((intention) =>
    intention.calls.flatMap(({ endedMillis, name, word }) => {
      const interrupted = word?._tag === "Unknown" && word.error === "Interrupted"
      const last = sent.filter((one) => one.call === name && Network.isWrite(one)).at(-1)
      const cutOff = last?.heard === "given up" && last.closedMillis === endedMillis
      if (!interrupted || !cutOff) return []
      const mark = last.key ?? "PaymentLinks.create"
      return logs.some(({ message }) => message.includes(mark))
        ? []
        : [`${name}: interrupted after it was sent, in silence`]
    })
  )
]

const grouped = <A>(
  items: ReadonlyArray<A>,
  by: (item: A) => string
): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const group = groups.get(by(item))
    if (group === undefined) groups.set(by(item), [item])
    else group.push(item)
  }
  return groups
}
