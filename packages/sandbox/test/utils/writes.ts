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
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import * as ServiceApi from "@manilla/service/ServiceApi"
import type * as Clients from "@manilla/service/Clients"
import { cardFrom, collection, link, payoutFrom, walletIn } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"

interface Entry {
  readonly request: Effect.Effect<object, never, Sandbox.Sandbox>
  /** Accepts any value as the request, as an untyped caller would pass it. */
  readonly send: (
    request: unknown,
    key: IdempotencyKey.IdempotencyKey
  ) => Effect.Effect<object, Errors.WriteError | Errors.KeyedWriteError, Clients.Clients>
}

export interface Write extends Entry {
  readonly name: Name
  readonly operation: Operation.Operation
  /** The body field that carries the key. The client fills it in. */
  readonly keyField: string | undefined
}

export type Name = ServiceApi.WriteName

const entry = <Request extends object>(
  request: Effect.Effect<Request, never, Sandbox.Sandbox>,
  send: (
    request: Request,
    options: { readonly key: IdempotencyKey.IdempotencyKey }
  ) => Effect.Effect<object, Errors.WriteError | Errors.KeyedWriteError, Clients.Clients>
): Entry => ({ request, send: (given, key) => send(given as never, { key }) })

const entries: Readonly<Record<Name, Entry>> = {
  "Payments.create": entry(Effect.succeed(collection), (request, options) =>
    Effect.flatMap(Payments.Payments, ({ create }) => create(request, options))
  ),
  "Payouts.create": entry(
    Effect.map(walletIn("XOF"), (wallet) => payoutFrom(wallet)),
    (request, options) => Effect.flatMap(Payouts.Payouts, ({ create }) => create(request, options))
  ),
  "Cards.issue": entry(cardFrom(), (request, options) =>
    Effect.flatMap(Cards.Cards, ({ issue }) => issue(request, options))
  ),
  "PaymentLinks.create": entry(Effect.succeed(link), (request) =>
    Effect.flatMap(PaymentLinks.PaymentLinks, ({ create }) => create(request))
  )
}

export const all: ReadonlyArray<Write> = Record.toEntries(entries).map(([name, own]) => {
  const operation = ServiceApi.operations.get(name)
  if (operation === undefined) throw new Error(`${name} is not declared`)
  const { replay } = operation
  const keyField = replay._tag === "Keyed" && replay.in === "body" ? replay.name : undefined
  return { name, operation, keyField, ...own }
})
