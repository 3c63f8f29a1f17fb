/**
 * What callers want, and what they were told of it. An instruction is one business operation: however
 * often it is called for, its money moves at most once.
 */
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Operation from "@manilla/core/Operation"
import type * as Payments from "@manilla/payments/Payments"
import type * as Payouts from "@manilla/payouts/Payouts"
import type * as ServiceApi from "@manilla/sandbox/ServiceApi"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Chance } from "./Chance.js"
import * as Network from "./Network.js"
import type { Client, Process } from "./Process.js"
import type { Time } from "./Time.js"
import type { Trace } from "./Trace.js"

type Write = ServiceApi.OperationName<Operation.Keyed | Operation.Once>

interface Shown {
  readonly amount?: string | undefined
  readonly country?: string | undefined
  readonly currency?: string | undefined
  readonly destination?: Redacted.Redacted | undefined
}

export interface Stopped {
  readonly tag: string
  /** Of a read that had no token: why there was none. */
  readonly tokenless: string | undefined
}

/** What a caller was told at the end of one call. */
export type Outcome =
  | {
      readonly _tag: "Applied"
      /** The ids and references that the caller was given. */
      readonly names: ReadonlyArray<string>
      /** Whose money the caller was told it is, and how much. */
      readonly shown: Shown
      /** As what it settled, where the call waited for that. */
      readonly settled: string | undefined
      /** What ended the wait before it settled: the failure of its last read, or the time. */
      readonly stopped: Stopped | undefined
      /** Of an answer that could not be read: the key that the error names. */
      readonly unreadable: { readonly key: string | undefined } | undefined
    }
  | { readonly _tag: "NotApplied"; readonly error: string }
  | {
      readonly _tag: "Unknown"
      readonly error: string
      /** What the error says of the call. */
      readonly key: string | undefined
      readonly attempts: number | undefined
    }

export interface Call {
  readonly name: string
  readonly startedMillis: number
  endedMillis: number
  /** `undefined` while it goes on. */
  outcome: Outcome | undefined
}

/** What the requests of a run are made of. */
export interface Means {
  readonly xofWallet: string
  readonly usdWallet: string
  readonly cardholder: string
}

export interface Instruction {
  readonly name: string
  readonly kind: Kind
  readonly key: IdempotencyKey.IdempotencyKey
  readonly amount: string
  readonly beneficiary: string
  readonly calls: Array<Call>
}

/** The ways to call for each declared write: the compiler names the write that is missing. */
const ways = {
  "Payments.create": { "payments.create": 3, "payments.collect": 3, "payments.deposit": 1 },
  "Payouts.create": { "payouts.create": 3, "payouts.disburse": 3 },
  "Cards.issue": { "cards.issue": 3 },
  "PaymentLinks.create": { "paymentLinks.create": 3 }
} satisfies Readonly<Record<Write, Readonly<Record<string, number>>>>

export type Kind = { [Name in Write]: keyof (typeof ways)[Name] }[Write]

const weights: Readonly<Record<Kind, number>> = {
  ...ways["Payments.create"],
  ...ways["Payouts.create"],
  ...ways["Cards.issue"],
  ...ways["PaymentLinks.create"]
}

/** Of links there is no key: each call for one is an order of its own. */
export const isKeyed = ({ kind }: Instruction): boolean => kind !== "paymentLinks.create"

/** From a wallet, which may not have enough. */
export const isPaidFor = ({ kind }: Instruction): boolean =>
  kind === "payouts.create" || kind === "payouts.disburse" || kind === "cards.issue"

export const waits = ({ kind }: Instruction): boolean =>
  kind === "payments.collect" || kind === "payments.deposit" || kind === "payouts.disburse"

export const make = (index: number, chance: Chance): Instruction => {
  const kind = chance.weighted(weights)
  return {
    name: `order-${index}`,
    kind,
    key: IdempotencyKey.derive("order", String(index)),
    amount: amountFor(kind, chance),
    beneficiary: `+22901612345${String(index).padStart(2, "0")}`,
    calls: []
  }
}

/** Salaries are often equal: then their beneficiaries alone tell payouts apart. */
const amountFor = (kind: Kind, chance: Chance): string => {
  if (kind === "cards.issue") return String(chance.between(0, 9))
  if (kind.startsWith("payouts.") && chance.often(0.5)) return "1000"
  return `${chance.between(100, 4000)}${chance.pick(["", ".5", ".0125"])}`
}

const payer = { phone_number: "+2290161234567" }

/** What an instruction asks for, in each of its calls. */
const request = ({ amount, beneficiary, kind, name }: Instruction, means: Means) => {
  const metadata = { instruction: name }
  const method = { country: "BJ", currency: "XOF", payment_method: "mtn_momo" }
  const operation: "COLLECTION" | "DEPOSIT" = kind === "payments.deposit" ? "DEPOSIT" : "COLLECTION"
  return {
    operation,
    payment: { ...method, amount, payer, metadata },
    payout: {
      ...method,
      amount,
      wallet_id: means.xofWallet,
      destination: beneficiary,
      metadata
    },
    card: {
      customer_id: means.cardholder,
      wallet_id: means.usdWallet,
      debit_currency: "USD",
      initial_balance: amount
    },
    link: { country: method.country, currency: method.currency, amount, metadata }
  }
}

/** The same, as the body that a call sends. */
export const bodyOf = (
  instruction: Instruction,
  call: string,
  means: Means
): Readonly<Record<string, unknown>> => {
  const { card, link, operation, payment, payout } = request(instruction, means)
  switch (instruction.kind) {
    case "payments.create":
    case "payments.collect":
    case "payments.deposit":
      return { ...payment, operation }
    case "payouts.create":
    case "payouts.disburse":
      return payout
    case "cards.issue":
      return { ...card, idempotency_key: instruction.key }
    case "paymentLinks.create":
      return { ...link, description: call }
  }
}

/** Seldom enough that a run stays short. */
const wait = { initial: "4 seconds" } as const

type Performed = Effect.Effect<
  {
    readonly names: ReadonlyArray<string | undefined>
    readonly shown?: Shown
    readonly settled?: string
  },
  | Errors.WriteError
  | Errors.KeyedWriteError
  | Payments.PaymentStillPending
  | Payouts.PayoutStillPending
>

const perform = (instruction: Instruction, call: Call, client: Client, means: Means): Performed => {
  const { key, kind } = instruction
  const { card, link, operation, payment, payout } = request(instruction, means)
  switch (kind) {
    case "payments.create":
      return Effect.map(client.payments().create({ ...payment, operation }, { key }), named)
    case "payments.collect":
      return Effect.map(client.payments().collect(payment, { key, wait }), settled)
    case "payments.deposit":
      return Effect.map(client.payments().deposit(payment, { key, wait }), settled)
    case "payouts.create":
      return Effect.map(client.payouts().create(payout, { key }), named)
    case "payouts.disburse":
      return Effect.map(client.payouts().disburse(payout, { key, wait }), settled)
    case "cards.issue":
      return Effect.map(client.cards().issue(card, { key }), ({ card }) => ({ names: [card.id] }))
    case "paymentLinks.create":
      return Effect.map(client.paymentLinks().create({ ...link, description: call.name }), named)
  }
}

interface Named extends Shown {
  readonly id?: string | undefined
  readonly reference?: string | undefined
}

/** No more than the client can tell apart: it takes another's answer that repeats these. */
const named = ({ amount, country, currency, destination, id, reference }: Named) => ({
  names: [id, reference],
  shown: { amount, country, currency, destination }
})

const settled = (value: Named & { readonly status: string }) => ({
  ...named(value),
  settled: value.status
})

export interface Surroundings {
  readonly process: () => Process
  readonly means: Means
  readonly time: Time
  readonly trace: Trace
}

/** Calls for the instruction once, and notes what was said of it. */
export const call = (instruction: Instruction, { means, process, time, trace }: Surroundings) =>
  Effect.suspend(() => {
    const name = `${instruction.name}/${instruction.calls.length + 1}`
    const own: Call = {
      name,
      startedMillis: time.elapsedMillis(),
      endedMillis: Infinity,
      outcome: undefined
    }
    instruction.calls.push(own)
    const note = (outcome: Outcome) =>
      Effect.sync(() => {
        own.outcome = outcome
        own.endedMillis = time.elapsedMillis()
        trace.write(name, () => describe(outcome))
      })
    const { client, run } = process()
    return run(
      perform(instruction, own, client, means).pipe(
        Effect.match({ onFailure: outcomeOf, onSuccess: applied }),
        Effect.flatMap(note)
      )
    ).pipe(
      // Around the race as well: one that is lost at once never begins.
      Effect.ensuring(
        Effect.suspend(() => (own.outcome === undefined ? note(interrupted) : Effect.void))
      ),
      Effect.locally(Network.currentCall, name),
      Effect.asVoid
    )
  })

const describe = (outcome: Outcome): string => {
  if (outcome._tag !== "Applied") return `told: ${outcome._tag}, ${outcome.error}`
  const rest = [outcome.settled, outcome.stopped && `no longer waited for: ${outcome.stopped.tag}`]
  return [`told: applied ${outcome.names.join(" ")}`, ...rest.filter(Boolean)].join(", ")
}

const interrupted: Outcome = {
  _tag: "Unknown",
  error: "Interrupted",
  key: undefined,
  attempts: undefined
}

const isWriteError = Schema.is(Schema.Union(Errors.WriteError, Errors.KeyedWriteError))

/** Read as a caller of the library reads it: by the tag of the error alone. */
const outcomeOf = (
  error:
    | Errors.WriteError
    | Errors.KeyedWriteError
    | Payments.PaymentStillPending
    | Payouts.PayoutStillPending
): Outcome => {
  // "Once the intent exists nothing loses it."
  if (!isWriteError(error)) {
    return applied({
      names: ["reference" in error ? error.reference : error.id],
      stopped: {
        tag: error.cause?._tag ?? "the time",
        tokenless:
          error.cause?._tag === "TokenUnavailableError" ? error.cause.cause?._tag : undefined
      }
    })
  }
  switch (error._tag) {
    case "OutcomeUnknown":
      return {
        _tag: "Unknown",
        error: `${error._tag} (${error.cause._tag})`,
        key: keyOf(error),
        attempts: error.attempts
      }
    case "KeyReused":
      return { _tag: "Unknown", error: error._tag, key: error.key, attempts: error.attempts }
    case "AppliedUnreadable":
      return applied({ names: [error.id, error.reference], unreadable: { key: keyOf(error) } })
    default:
      return { _tag: "NotApplied", error: error._tag }
  }
}

const keyOf = (error: Errors.WriteError | Errors.KeyedWriteError) =>
  "key" in error ? error.key : undefined

const applied = ({
  names,
  settled,
  shown = {},
  stopped,
  unreadable
}: {
  readonly names: ReadonlyArray<string | undefined>
  readonly settled?: string
  readonly shown?: Shown
  readonly stopped?: Stopped
  readonly unreadable?: { readonly key: string | undefined }
}): Outcome => ({
  _tag: "Applied",
  names: names.filter((name) => name !== undefined),
  shown,
  settled,
  stopped,
  unreadable
})

export const outcomes = ({ calls }: Instruction): ReadonlyArray<Outcome> =>
  calls.flatMap(({ outcome }) => outcome ?? [])

/**
 * Whether the caller cannot know. A refusal of a later call does not help: it speaks of that call
 * alone, and what the earlier one sent may still be on its way.
 */
export const isOpen = (instruction: Instruction): boolean => {
  const said = outcomes(instruction)
  return !said.some(({ _tag }) => _tag === "Applied") && said.some(({ _tag }) => _tag === "Unknown")
}
