/**
 * Every declared write, with a request that the sandbox accepts and the method that sends it. Tests that
 * apply to every write use this table. The compiler reports a missing write.
 */
import * as Cards from "@manilla/cards/Cards"
import type * as Errors from "@manilla/core/Errors"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Operation from "@manilla/core/Operation"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as ServiceApi from "@manilla/service/ServiceApi"
import type * as Clients from "@manilla/service/Clients"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import { cardFrom, collection, link, payoutFrom, walletIn } from "./Sandboxed.js"

/** Makes the resources that a request refers to, with the clients or in the sandbox. */
type Making = Effect.Effect<object, never, Clients.Clients | Sandbox.Sandbox>

/** Sends a request, which may be any value, as an untyped caller would pass it. */
type Send<E = Errors.WriteError | Errors.KeyedWriteError> = (
  request: unknown,
  key: IdempotencyKey.IdempotencyKey
) => Effect.Effect<object, E, Clients.Clients>

interface Entry {
  readonly request: Making
  /** Another good request. */
  readonly other: Making
  readonly send: Send
  /** The method that waits for the end too. */
  readonly finish?: { readonly name: string; readonly send: Send<unknown> }
}

export interface Write extends Entry {
  readonly name: Name
  readonly operation: Operation.Operation
  /** The body field that carries the key. The client fills it in. */
  readonly keyField: string | undefined
}

export type Name = ServiceApi.WriteName

type Sends<Request, E = Errors.WriteError | Errors.KeyedWriteError> = (
  request: Request,
  options: { readonly key: IdempotencyKey.IdempotencyKey }
) => Effect.Effect<object, E, Clients.Clients>

const entry = <Request extends object>(
  [request, other]: readonly [request: Made<Request>, other: Made<Request>],
  send: Sends<Request>,
  finish?: readonly [name: string, send: Sends<Request, unknown>]
): Entry => ({
  request,
  other,
  send: (given, key) => send(given as never, { key }),
  ...(finish && {
    finish: { name: finish[0], send: (given, key) => finish[1](given as never, { key }) }
  })
})

type Made<Request> = Effect.Effect<Request, never, Clients.Clients | Sandbox.Sandbox>

const payoutOf = (amount: string) =>
  Effect.map(walletIn("XOF"), (wallet) => payoutFrom(wallet, amount))

const entries: Readonly<Record<Name, Entry>> = {
  "Payments.create": entry(
    [Effect.succeed(collection), Effect.succeed({ ...collection, amount: "1600" })],
    (request, options) =>
      Effect.flatMap(Payments.Payments, ({ create }) => create(request, options)),
    [
      "Payments.collect",
      (request, options) =>
        Effect.flatMap(Payments.Payments, ({ collect }) =>
          collect(Struct.omit(request, "operation"), options)
        )
    ]
  ),
  "Payouts.create": entry(
    [payoutOf("1000"), payoutOf("1600")],
    (request, options) => Effect.flatMap(Payouts.Payouts, ({ create }) => create(request, options)),
    [
      "Payouts.disburse",
      (request, options) =>
        Effect.flatMap(Payouts.Payouts, ({ disburse }) => disburse(request, options))
    ]
  ),
  "Cards.issue": entry([cardFrom(), cardFrom("USD")], (request, options) =>
    Effect.flatMap(Cards.Cards, ({ issue }) => issue(request, options))
  ),
  "PaymentLinks.create": entry(
    [Effect.succeed(link), Effect.succeed({ ...link, amount: "700" })],
    (request) => Effect.flatMap(PaymentLinks.PaymentLinks, ({ create }) => create(request))
  )
}

/** The writes with a key. */
export const keyed = (): ReadonlyArray<Write> =>
  all.filter(({ operation }) => operation.replay._tag === "Keyed")

/** How many resources were made with a key. */
export const madeWith = (key: string) =>
  Effect.flatMap(Sandbox.Sandbox, ({ resources }) =>
    Effect.map(resources({ key }), (made) => Object.values(made).flat().length)
  )

export const all: ReadonlyArray<Write> = Record.toEntries(entries).map(([name, own]) => {
  const operation = ServiceApi.operations.get(name)
  if (operation === undefined) throw new Error(`${name} is not declared`)
  const { replay } = operation
  const keyField = replay._tag === "Keyed" && replay.in === "body" ? replay.name : undefined
  return { name, operation, keyField, ...own }
})
