/**
 * The declared writes: how an instruction calls each of them, and what the service makes of it. The compiler reports a
 * missing write.
 */
import * as Amount from "@manilla/core/Amount"
import type * as Errors from "@manilla/core/Errors"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Payments from "@manilla/payments/Payments"
import type * as Payouts from "@manilla/payouts/Payouts"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import type * as ServiceApi from "@manilla/service/ServiceApi"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Struct from "effect/Struct"
import type { Chance } from "./Chance.js"
import type { Client } from "./Process.js"

/** The ids that the requests of a run refer to. */
export interface Means {
  readonly xofWallet: string
  readonly usdWallet: string
  readonly cardholder: string
  /** How many resources were made for them, which belong to no instruction. */
  readonly made: number
}

/** The members of an instruction from which its requests are made. */
export interface Order {
  readonly name: string
  readonly key: IdempotencyKey.IdempotencyKey
  readonly amount: string
  readonly beneficiary: string
}

/** One request of an order. The name of its call distinguishes requests without a key. */
type RequestOf<Request> = (order: Order, means: Means, call: string) => Request

export interface Shown {
  readonly amount?: string | undefined
  readonly country?: string | undefined
  readonly currency?: string | undefined
  readonly destination?: Redacted.Redacted | undefined
}

/** The result of a call. */
export interface Result {
  /** The ids and references. */
  readonly names: ReadonlyArray<string | undefined>
  /** The values that must match the request. */
  readonly shown?: Shown
  readonly finalStatus?: string
}

export type WriteError =
  | Errors.WriteError
  | Errors.KeyedWriteError
  | Payments.PaymentStillPending
  | Payouts.PayoutStillPending

export const zero = Amount.Amount.make("0")

/** A resource that a write made. */
export interface Made {
  readonly isOf: (order: Order) => boolean
  readonly key: string | undefined
  /** The call that made it, if it has no key. */
  readonly call: string | undefined
  readonly id: string | undefined
  readonly reference: string | undefined
  readonly status: string | undefined
  readonly amount: Amount.Amount | undefined
  /** The members that repeat the request. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** A method of a client that makes the write. */
export interface Method {
  /** How often it is called, relative to the others. */
  readonly weight: number
  /** Whether it waits for the final status. */
  readonly waits: boolean
  readonly request: RequestOf<object>
  readonly call: (
    client: Client,
    order: Order,
    means: Means,
    call: string
  ) => Effect.Effect<Result, WriteError>
}

export interface Write {
  /** Whether a wallet is debited, which may have insufficient funds. */
  readonly debitsWallet: boolean
  /** Whether what it makes settles: then one that completes has one transaction of its amount. */
  readonly settles: boolean
  readonly amount: (chance: Chance) => string
  readonly methods: Readonly<Record<string, Method>>
  readonly made: (sandbox: Sandbox.Service) => Effect.Effect<ReadonlyArray<Made>>
}

const method = <Request extends object>(
  { waits = false, weight = 3 }: { readonly waits?: boolean; readonly weight?: number },
  request: RequestOf<Request>,
  call: (
    client: Client,
    request: Request,
    key: IdempotencyKey.IdempotencyKey
  ) => Effect.Effect<Result, WriteError>
): Method => ({
  weight,
  waits,
  request,
  call: (client, order, means, name) => call(client, request(order, means, name), order.key)
})

interface Named extends Shown {
  readonly id?: string | undefined
  readonly reference?: string | undefined
}

/** Only values that the client compares: it accepts a mismatched response that repeats them. */
const named = ({ amount, country, currency, destination, id, reference }: Named): Result => ({
  names: [id, reference],
  shown: { amount, country, currency, destination }
})

const finished = (value: Named & { readonly status: string }): Result => ({
  ...named(value),
  finalStatus: value.status
})

/** Long intervals keep the run short. */
const wait = { initial: "4 seconds" } as const

const anyAmount = (chance: Chance) =>
  `${chance.between(100, 4000)}${chance.pick(["", ".5", ".0125"])}`

const mobileMoney = { country: "BJ", currency: "XOF", payment_method: "mtn_momo" }

const payment =
  <const Operation extends "COLLECTION" | "DEPOSIT">(operation: Operation) =>
  ({ amount, name }: Order) => ({
    ...mobileMoney,
    amount,
    operation,
    payer: { phone_number: "+2290161234567" },
    metadata: { instruction: name }
  })

const payout = ({ amount, beneficiary, name }: Order, { xofWallet }: Means) => ({
  ...mobileMoney,
  amount,
  wallet_id: xofWallet,
  destination: beneficiary,
  metadata: { instruction: name }
})

/** Intents or payouts. */
const stored = (
  rows: ReadonlyArray<Sandbox.StoredPaymentIntent | Sandbox.StoredPayout>
): ReadonlyArray<Made> =>
  rows.map((row) => ({
    isOf: ({ name }) => row.metadata?.["instruction"] === name,
    key: row.idempotency_key,
    call: undefined,
    id: row.id,
    reference: row.reference,
    status: row.status,
    amount: row.amount,
    fields: { ...row }
  }))

export const all: Readonly<Record<ServiceApi.WriteName, Write>> = {
  "Payments.create": {
    debitsWallet: false,
    settles: true,
    amount: anyAmount,
    methods: {
      "payments.create": method({}, payment("COLLECTION"), (client, request, key) =>
        Effect.map(client.payments().create(request, { key }), named)
      ),
      "payments.collect": method({ waits: true }, payment("COLLECTION"), (client, request, key) =>
        Effect.map(
          client.payments().collect(Struct.omit(request, "operation"), { key, wait }),
          finished
        )
      ),
      "payments.deposit": method(
        { waits: true, weight: 1 },
        payment("DEPOSIT"),
        (client, request, key) =>
          Effect.map(
            client.payments().deposit(Struct.omit(request, "operation"), { key, wait }),
            finished
          )
      )
    },
    made: ({ paymentIntents }) => Effect.map(paymentIntents, stored)
  },
  "Payouts.create": {
    debitsWallet: true,
    settles: true,
    // Half of them have equal amounts, so that only the beneficiary distinguishes them.
    amount: (chance) => (chance.often(0.5) ? "1000" : anyAmount(chance)),
    methods: {
      "payouts.create": method({}, payout, (client, request, key) =>
        Effect.map(client.payouts().create(request, { key }), named)
      ),
      "payouts.disburse": method({ waits: true }, payout, (client, request, key) =>
        Effect.map(client.payouts().disburse(request, { key, wait }), finished)
      )
    },
    made: ({ payouts }) => Effect.map(payouts, stored)
  },
  "Cards.issue": {
    debitsWallet: true,
    settles: false,
    amount: (chance) => String(chance.between(0, 9)),
    methods: {
      "cards.issue": method(
        {},
        ({ amount }, { cardholder, usdWallet }) => ({
          customer_id: cardholder,
          wallet_id: usdWallet,
          debit_currency: "USD",
          initial_balance: amount
        }),
        (client, request, key) =>
          Effect.map(client.cards().issue(request, { key }), ({ card }) => ({ names: [card.id] }))
      )
    },
    made: ({ cards }) =>
      Effect.map(cards, (rows) =>
        rows.map((card) => ({
          isOf: ({ key }) => card.issuance_reference === key,
          key: card.issuance_reference,
          call: undefined,
          id: card.id,
          reference: undefined,
          status: undefined,
          amount: undefined,
          fields: {
            customer_id: card.virtual_card_customer_id,
            debit_currency: card.charged_currency,
            // The amount loaded on the card. Wallet and fee are both in dollars.
            initial_balance: Amount.subtract(
              card.charged_amount ?? zero,
              card.issuance_fee_usd ?? zero
            )
          }
        }))
      )
  },
  "PaymentLinks.create": {
    debitsWallet: false,
    settles: false,
    amount: anyAmount,
    methods: {
      "paymentLinks.create": method(
        {},
        ({ amount, name }, _, call) => ({
          country: mobileMoney.country,
          currency: mobileMoney.currency,
          amount,
          metadata: { instruction: name },
          description: call
        }),
        (client, request) => Effect.map(client.paymentLinks().create(request), named)
      )
    },
    made: ({ paymentLinks }) =>
      Effect.map(paymentLinks, (rows) =>
        rows.map((link) => ({
          isOf: ({ name }) => link.description?.startsWith(`${name}/`) === true,
          key: undefined,
          call: link.description ?? undefined,
          id: link.id,
          reference: link.reference,
          status: undefined,
          amount: link.amount,
          fields: { ...link }
        }))
      )
  }
}
