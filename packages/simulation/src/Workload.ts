/**
 * The workload: instructions, their calls, and the outcome that each call reported. An instruction is
 * one business operation: its money must move at most once, however often it is called.
 */
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Payments from "@manilla/payments/Payments"
import type * as Payouts from "@manilla/payouts/Payouts"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Chance } from "./Chance.js"
import * as Network from "./Network.js"
import type { Client, Process } from "./Process.js"
import type { Time } from "@manilla/test-support/Time"
import type { Trace } from "./Trace.js"

interface Shown {
  readonly amount?: string | undefined
  readonly country?: string | undefined
  readonly currency?: string | undefined
  readonly destination?: Redacted.Redacted | undefined
}

export interface Stopped {
  readonly tag: string
  /** The cause of a `TokenUnavailableError`. */
  readonly tokenCause: string | undefined
}

/** The outcome that a call reported to its caller. */
export type Reported =
  | {
      readonly _tag: "Applied"
      /** The ids and references in the result or the error. */
      readonly names: ReadonlyArray<string>
      /** The values of the result that must match the request. */
      readonly shown: Shown
      /** The final status, if the call waited for one. */
      readonly finalStatus: string | undefined
      /** Why the wait ended before the final status: the failure of its last read, or its deadline. */
      readonly stopped: Stopped | undefined
      /** Set if the response was unreadable: the key in the error. */
      readonly unreadable: { readonly key: string | undefined } | undefined
    }
  | { readonly _tag: "NotApplied"; readonly error: string }
  | {
      readonly _tag: "Unknown"
      readonly error: string
      /** The key and the number of attempts in the error. */
      readonly key: string | undefined
      readonly attempts: number | undefined
    }

export interface Call {
  readonly name: string
  readonly startedMillis: number
  endedMillis: number
  /** `undefined` while the call is running. */
  outcome: Reported | undefined
}

/** The ids that the requests of a run refer to. */
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

/** What a run has to know of a method that writes. */
interface Way {
  /** How often it is called, relative to the others. */
  readonly weight: number
  /** Whether a wallet is debited, which may have insufficient funds. */
  readonly debitsWallet: boolean
  /** Whether it waits for the final status. */
  readonly waits: boolean
}

const collects: Way = { weight: 3, debitsWallet: false, waits: false }
const pays: Way = { weight: 3, debitsWallet: true, waits: false }

/** The methods of each declared write. The compiler reports a missing write. */
const ways = {
  "Payments.create": {
    "payments.create": collects,
    "payments.collect": { ...collects, waits: true },
    "payments.deposit": { ...collects, waits: true, weight: 1 }
  },
  "Payouts.create": { "payouts.create": pays, "payouts.disburse": { ...pays, waits: true } },
  "Cards.issue": { "cards.issue": pays },
  "PaymentLinks.create": { "paymentLinks.create": collects }
} satisfies Readonly<Record<ServiceApi.WriteName, Readonly<Record<string, Way>>>>

export type Kind = {
  [Name in ServiceApi.WriteName]: keyof (typeof ways)[Name]
}[ServiceApi.WriteName]

const kinds: Readonly<Record<Kind, Way>> = {
  ...ways["Payments.create"],
  ...ways["Payouts.create"],
  ...ways["Cards.issue"],
  ...ways["PaymentLinks.create"]
}

/** The declared write of each kind. */
const writes: ReadonlyMap<string, string> = new Map(
  Object.entries(ways).flatMap(([write, methods]) =>
    Object.keys(methods).map((kind) => [kind, write] as const)
  )
)

const weights = Record.map(kinds, ({ weight }) => weight)

/** The declared write that an instruction calls. */
export const writeOf = ({ kind }: Instruction): string => writes.get(kind) ?? kind

/** Without a key, each call is a separate order. */
export const isKeyed = (instruction: Instruction): boolean =>
  ServiceApi.operations.get(writeOf(instruction))?.replay._tag === "Keyed"
export const debitsWallet = ({ kind }: Instruction): boolean => kinds[kind].debitsWallet
export const waits = ({ kind }: Instruction): boolean => kinds[kind].waits

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

/** Half of the payouts have equal amounts, so that only the beneficiary distinguishes them. */
const amountFor = (kind: Kind, chance: Chance): string => {
  if (kind === "cards.issue") return String(chance.between(0, 9))
  if (kind.startsWith("payouts.") && chance.often(0.5)) return "1000"
  return `${chance.between(100, 4000)}${chance.pick(["", ".5", ".0125"])}`
}

const payer = { phone_number: "+2290161234567" }

/** The request of an instruction, the same in each of its calls. */
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

/** The body that a call must send. */
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

/** Long intervals keep the run short. */
const wait = { initial: "4 seconds" } as const

type Performed = Effect.Effect<
  {
    readonly names: ReadonlyArray<string | undefined>
    readonly shown?: Shown
    readonly finalStatus?: string
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
      return Effect.map(client.payments().collect(payment, { key, wait }), finished)
    case "payments.deposit":
      return Effect.map(client.payments().deposit(payment, { key, wait }), finished)
    case "payouts.create":
      return Effect.map(client.payouts().create(payout, { key }), named)
    case "payouts.disburse":
      return Effect.map(client.payouts().disburse(payout, { key, wait }), finished)
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

/** Only values that the client compares: it accepts a mismatched response that repeats them. */
const named = ({ amount, country, currency, destination, id, reference }: Named) => ({
  names: [id, reference],
  shown: { amount, country, currency, destination }
})

const finished = (value: Named & { readonly status: string }) => ({
  ...named(value),
  finalStatus: value.status
})

export interface Environment {
  readonly process: () => Process
  readonly means: Means
  readonly time: Time
  readonly trace: Trace
}

/** Makes one call for the instruction and records its outcome. */
export const runCall = (instruction: Instruction, { means, process, time, trace }: Environment) =>
  Effect.suspend(() => {
    const name = `${instruction.name}/${instruction.calls.length + 1}`
    const call: Call = {
      name,
      startedMillis: time.elapsedMillis(),
      endedMillis: Infinity,
      outcome: undefined
    }
    instruction.calls.push(call)
    const record = (outcome: Reported) =>
      Effect.sync(() => {
        call.outcome = outcome
        call.endedMillis = time.elapsedMillis()
        trace.write(name, () => describe(outcome))
      })
    const { client, run } = process()
    return run(
      perform(instruction, call, client, means).pipe(
        Effect.match({ onFailure: outcomeOf, onSuccess: applied }),
        Effect.flatMap(record)
      )
    ).pipe(
      // Outside the race too: an effect that loses at once never starts.
      Effect.ensuring(
        Effect.suspend(() => (call.outcome === undefined ? record(interrupted) : Effect.void))
      ),
      Effect.locally(Network.currentCall, name),
      Effect.asVoid
    )
  })

const describe = (outcome: Reported): string => {
  if (outcome._tag !== "Applied") return `outcome: ${outcome._tag}, ${outcome.error}`
  const rest = [outcome.finalStatus, outcome.stopped && `stopped waiting: ${outcome.stopped.tag}`]
  return [`outcome: Applied ${outcome.names.join(" ")}`, ...rest.filter(Boolean)].join(", ")
}

const interrupted: Reported = {
  _tag: "Unknown",
  error: "Interrupted",
  key: undefined,
  attempts: undefined
}

const isWriteError = Schema.is(Schema.Union(Errors.WriteError, Errors.KeyedWriteError))

/** Derives the outcome as an application would: from the tag of the error alone. */
const outcomeOf = (
  error:
    | Errors.WriteError
    | Errors.KeyedWriteError
    | Payments.PaymentStillPending
    | Payouts.PayoutStillPending
): Reported => {
  // Any other error of a wait means that the intent or payout exists.
  if (!isWriteError(error)) {
    return applied({
      names: ["reference" in error ? error.reference : error.id],
      stopped: {
        tag: error.cause?._tag ?? "deadline",
        tokenCause:
          error.cause?._tag === "TokenUnavailableError" ? error.cause.cause?._tag : undefined
      }
    })
  }
  switch (error._tag) {
    case "OutcomeUnknown":
    case "UnkeyedOutcomeUnknown":
      return {
        _tag: "Unknown",
        error: `${error._tag} (${error.cause._tag})`,
        key: keyOf(error),
        attempts: error.attempts
      }
    case "KeyReused":
      return { _tag: "Unknown", error: error._tag, key: error.key, attempts: error.attempts }
    case "AppliedUnreadable":
    case "UnkeyedAppliedUnreadable":
      return applied({ names: [error.id, error.reference], unreadable: { key: keyOf(error) } })
    default:
      return { _tag: "NotApplied", error: error._tag }
  }
}

const keyOf = (error: Errors.WriteError | Errors.KeyedWriteError) =>
  "key" in error ? error.key : undefined

const applied = ({
  names,
  finalStatus,
  shown = {},
  stopped,
  unreadable
}: {
  readonly names: ReadonlyArray<string | undefined>
  readonly finalStatus?: string
  readonly shown?: Shown
  readonly stopped?: Stopped
  readonly unreadable?: { readonly key: string | undefined }
}): Reported => ({
  _tag: "Applied",
  names: names.filter((name) => name !== undefined),
  shown,
  finalStatus,
  stopped,
  unreadable
})

export const outcomes = ({ calls }: Instruction): ReadonlyArray<Reported> =>
  calls.flatMap(({ outcome }) => outcome ?? [])

/**
 * Whether the outcome of the instruction is unknown. A "not applied" of a later call does not resolve
 * it, because a request of an earlier call may still be in transit.
 */
export const isUnknown = (instruction: Instruction): boolean => {
  const tags = outcomes(instruction).map(({ _tag }) => _tag)
  return !tags.includes("Applied") && tags.includes("Unknown")
}
