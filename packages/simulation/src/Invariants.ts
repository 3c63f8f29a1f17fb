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
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Seen } from "./Audit.js"
import type { Intention } from "./Intentions.js"
import * as Intentions from "./Intentions.js"
import * as Network from "./Network.js"

export interface Logged {
  /** The call that it was logged for. */
  readonly call: string
  readonly level: string
  readonly message: string
}

export interface Evidence {
  readonly sandbox: Sandbox.Service
  readonly policy: RetryPolicy.RetryPolicy
  readonly means: Intentions.Means
  /** When the troubles ended. */
  readonly calmMillis: number
  readonly sent: ReadonlyArray<Network.Sent>
  readonly intentions: ReadonlyArray<Intention>
  readonly logs: ReadonlyArray<Logged>
  /** Then what was promised in minutes may last a few more. */
  readonly clockWasSet: boolean
  /** Rows that the client read while there was trouble. */
  readonly read: Pick<Seen, "cards" | "transactions">
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
      ...rowsAreTrue(evidence.read, books),
      ...(evidence.seen === undefined ? [] : readTruly(evidence.seen, books)),
      ...withinPolicy(evidence),
      ...sameBytes(evidence),
      ...wentOn(evidence),
      ...calm(evidence),
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
  readonly key: string | undefined
  /** The call, of what has no key. */
  readonly call: string | undefined
  readonly names: ReadonlyArray<string | undefined>
  readonly status: string | undefined
  /** What is not as it was wanted. */
  readonly otherwise: ReadonlyArray<string>
}

const effects = (
  intention: Intention,
  means: Intentions.Means,
  { cards, intents, links, payouts }: Books
): ReadonlyArray<Effected> => {
  const { key, kind, name } = intention
  const wanted = Intentions.request(intention, means)
  switch (kind) {
    case "payments.create":
    case "payments.collect":
    case "payments.deposit":
      return intents
        .filter(({ metadata }) => metadata?.["intention"] === name)
        .map((intent) => ({
          key: intent.idempotency_key,
          call: undefined,
          names: [intent.id, intent.reference],
          status: intent.status,
          otherwise: unlike({ ...wanted.payment, operation: wanted.operation }, { ...intent })
        }))
    case "payouts.create":
    case "payouts.disburse":
      return payouts
        .filter(({ metadata }) => metadata["intention"] === name)
        .map((payout) => ({
          key: payout.idempotency_key,
          call: undefined,
          names: [payout.id, payout.reference],
          status: payout.status,
          otherwise: unlike(wanted.payout, { ...payout })
        }))
    case "cards.issue":
      return cards
        .filter(({ issuance_reference }) => issuance_reference === key)
        .map((card) => ({
          key: card.issuance_reference,
          call: undefined,
          names: [card.id],
          status: undefined,
          otherwise: unlike(wanted.card, {
            customer_id: card.virtual_card_customer_id,
            debit_currency: card.charged_currency,
            // What was loaded on it: the wallet is in dollars, as the fee is.
            initial_balance: Amount.subtract(
              card.charged_amount ?? nothing,
              card.issuance_fee_usd ?? nothing
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
          otherwise: unlike(wanted.link, { ...link })
        }))
  }
}

/** The members that were made otherwise than they were wanted, as far as the books have them. */
const unlike = (
  wanted: Readonly<Record<string, unknown>>,
  made: Readonly<Record<string, unknown>>
): ReadonlyArray<string> =>
  Object.entries(wanted).flatMap(([name, value]) => {
    const kept = Redacted.isRedacted(made[name]) ? Redacted.value(made[name]) : made[name]
    if (!Predicate.isString(value) || !Predicate.isString(kept)) return []
    const same =
      isAmount(value) && isAmount(kept) ? Amount.Equivalence(value, kept) : value === kept
    return same ? [] : [`${name} ${kept}, and ${value} was wanted`]
  })

const isAmount = Schema.is(Amount.Amount)

/** Each key moved money at most once, and what callers were told is what the books say. */
const onceAndTrue = (evidence: Evidence, books: Books): ReadonlyArray<string> => {
  const violations: Array<string> = []
  const { intentions, means } = evidence
  let total = 0
  for (const intention of intentions) {
    const { key, name } = intention
    const made = effects(intention, means, books)
    total += made.length
    const say = (what: string) => violations.push(`${name} (${intention.kind}): ${what}`)
    /** What has a key is one thing over all of its calls; what has none, one for each call. */
    const scopes = Intentions.isKeyed(intention)
      ? [{ made, said: Intentions.words(intention) }]
      : intention.calls.map((call) => ({
          made: made.filter((effect) => effect.call === call.name),
          said: call.word === undefined ? [] : [call.word]
        }))
    for (const what of made.flatMap(({ otherwise }) => otherwise)) say(`made with ${what}`)
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
const wordsOfCalls = ({ intentions, policy, sent }: Evidence): ReadonlyArray<string> => {
  const violations: Array<string> = []
  for (const intention of intentions) {
    for (const { name, startedMillis, word } of intention.calls) {
      const writes = sent.filter((one) => one.call === name && Network.isWrite(one))
      const applied = writes.some(({ answered }) => answered.some((status) => status < 300))
      if (word?._tag === "NotApplied" && applied) {
        violations.push(`${name}: told ${word.error}, not applied, and it was`)
      }
      if (word?._tag === "Applied" && !applied) {
        violations.push(`${name}: told applied, and the service never said so`)
      }
      const key = Intentions.isKeyed(intention) ? intention.key : undefined
      const keyless = writes.find((one) => one.key !== key)
      if (keyless !== undefined) violations.push(`${name}: sent under the key ${keyless.key}`)
      const [id] = Network.namesIn(writes.at(-1)?.data)
      if (word?._tag === "Applied" && id !== undefined && !word.names.includes(id)) {
        violations.push(`${name}: told applied, and not that it is ${id}`)
      }
      // Of an interrupted call nothing else is said.
      if (word?._tag !== "Unknown" || word.attempts === undefined) continue
      if (word.attempts !== writes.length) {
        violations.push(`${name}: told of ${word.attempts} attempts, and made ${writes.length}`)
      }
      // What comes with the last moment of its time may come too late.
      const inTime = ({ atMillis, closedMillis }: Network.Sent) =>
        closedMillis - atMillis < Duration.toMillis(policy.attemptTimeout) &&
        closedMillis - startedMillis < Duration.toMillis(policy.deadline)
      if (writes.every((one) => Network.isRefusal(one) && inTime(one))) {
        violations.push(`${name}: told unknown, and each attempt was refused`)
      }
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

/** Each row is one of the books. */
const rowsAreTrue = (
  read: Pick<Seen, "cards" | "transactions">,
  { cards, transactions }: Books
): ReadonlyArray<string> => [
  ...read.cards.flatMap((row) => {
    const card = cards.find(({ id }) => id === row.id)
    if (card === undefined) return [`card ${row.id} was read, and there is none`]
    return unlike({ ...card }, { ...row }).map((what) => `card ${row.id} was read with ${what}`)
  }),
  ...read.transactions.flatMap((row) => {
    const transaction = transactions.find(({ reference }) => reference === row.reference)
    if (transaction === undefined) return [`${row.reference} was read, and there is none`]
    return unlike({ ...transaction }, { ...row }).map(
      (what) => `${row.reference} was read with ${what}`
    )
  })
]

/** What the client read, page by page, is what the books say. */
const readTruly = (seen: Seen, books: Books): ReadonlyArray<string> => {
  const { cards, links, transactions } = books
  const violations = [...rowsAreTrue(seen, books)]
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

  for (const row of seen.transactions) {
    if (!Transaction.isNetExact(row)) {
      violations.push(`the net amount of ${row.reference} is not exact`)
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
        waited(attempts, name, clockWasSet, violations)
        if (!clockWasSet) endedInTime(attempts, name, policy, violations)
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
  for (const intention of intentions) {
    const limitMillis =
      Duration.toMillis(policy.deadline) + (Intentions.waits(intention) ? waitMillis : 0) + 1
    for (const { endedMillis, name, startedMillis } of intention.calls) {
      const tookMillis = endedMillis - startedMillis
      if (tookMillis > limitMillis) {
        violations.push(`${name}: took ${tookMillis} ms, beyond its deadline`)
      }
    }
  }
  return violations
}

const waitMillis = Duration.toMillis(Settlement.defaults.deadline)

/** An attempt has its time, and no more: its body is a part of it, and its token is not. */
const endedInTime = (
  attempts: ReadonlyArray<Network.Sent>,
  name: string,
  policy: RetryPolicy.RetryPolicy,
  violations: Array<string>
): void => {
  const limitMillis = Duration.toMillis(policy.attemptTimeout)
  attempts.forEach(({ atMillis, closedMillis, heard, number }, index) => {
    const tookMillis = closedMillis - atMillis
    // The last may have been interrupted, or have come up against the deadline.
    const cut = heard === "given up" && index < attempts.length - 1
    if (tookMillis > limitMillis + 1 || (cut && tookMillis < limitMillis - 1)) {
      violations.push(`${name}: #${number} had ${tookMillis} ms`)
    }
  })
}

/** What may keep a token away for a time. */
const passing = ["TransportFault", "TooManyRequests", "ServerFault", "TimedOut"]

/** The longest back-off, and what is added to what the service asks for. */
const longestPauseMillis = 11_000

/** What can be tried again is, while there are attempts and time; and a wait goes on until its end. */
const wentOn = ({ clockWasSet, intentions, policy, sent }: Evidence): ReadonlyArray<string> => {
  if (clockWasSet) return []
  const violations: Array<string> = []
  const deadlineMillis = Duration.toMillis(policy.deadline)
  for (const intention of intentions.filter(Intentions.isKeyed)) {
    for (const { endedMillis, name, startedMillis, word } of intention.calls) {
      const own = sent.filter((one) => one.call === name && !Network.isForToken(one))
      const writes = own.filter(Network.isWrite)
      const last = own.at(-1)
      if (word === undefined || last === undefined) continue
      if (word._tag === "Applied") {
        const stopped = word.stopped
        if (stopped === undefined) continue
        const mendable =
          stopped.tag === "TokenUnavailable"
            ? stopped.tokenless !== undefined && passing.includes(stopped.tokenless)
            : Network.isPassing(last)
        const waitedMillis = endedMillis - (writes.at(-1)?.closedMillis ?? startedMillis)
        if (mendable && waitedMillis < waitMillis) {
          violations.push(`${name}: waited ${waitedMillis} ms, and stopped at ${stopped.tag}`)
        }
        continue
      }
      // Interrupted, or with no token to go on with: it could not.
      if (/Interrupted|TokenUnavailable/.test(word.error)) continue
      const renewed = writes.slice(0, -1).some(({ heard }) => heard === 401) ? 1 : 0
      const pauseMillis = (last.retryAfterMillis ?? 0) + longestPauseMillis
      const stopped =
        Network.isPassing(last) &&
        writes.length - renewed < policy.attempts &&
        endedMillis - startedMillis + pauseMillis < deadlineMillis
      // A budget that cannot run dry here: the other ones may have.
      if (stopped && policy.budget === 100) {
        violations.push(`${name}: gave up after ${writes.length} attempts, with time left`)
      }
    }
  }
  return violations
}

/** Once nothing goes wrong, only the rules of the service are in the way of anything. */
const calm = ({ calmMillis, intentions }: Evidence): ReadonlyArray<string> =>
  intentions.flatMap((intention) =>
    intention.calls.flatMap(({ name, startedMillis, word }) => {
      if (startedMillis <= calmMillis || word?._tag === "Applied") return []
      const error = word?.error ?? "nothing"
      return error === "Unprocessable" ? [] : [`${name}: told ${error} in the calm`]
    })
  )

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
  clockWasSet: boolean,
  violations: Array<string>
): void => {
  attempts.forEach((attempt, index) => {
    const before = attempts[index - 1]
    if (before === undefined) return
    const millis = attempt.atMillis - before.closedMillis
    const known = !(before.retryAfterIsDate && clockWasSet)
    if (known && before.retryAfterMillis !== undefined && millis < before.retryAfterMillis) {
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
    for (const { answeredMillis, authorization, closedMillis, lifeMillis } of held) {
      // One that is longer on its way than it lives is tried by those who waited for it.
      const endMillis = Math.max(answeredMillis + lifeMillis, closedMillis)
      const late = own.find(
        (one) => one.authorization === authorization && one.atMillis > endMillis
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
      if (word?._tag !== "Unknown" || word.error !== "Interrupted") return []
      const own = sent.filter((one) => one.call === name && !Network.isForToken(one))
      const writes = own.filter(Network.isWrite)
      if (writes.every(Network.isRefusal)) return []
      const last = own.at(-1)
      // In the very step in which it is answered, nobody is there to be told.
      if (typeof last?.heard === "number" && last.closedMillis === endedMillis) return []
      const marks = Intentions.isKeyed(intention) ? [intention.key] : ["PaymentLinks.create"]
      const followed = last !== undefined && !Network.isWrite(last)
      const names = Network.namesIn(writes.at(-1)?.data)
      const wanted = followed ? names : [...marks, ...names]
      return logs.some(
        ({ call, message }) => call === name && wanted.some((mark) => message.includes(mark))
      )
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
