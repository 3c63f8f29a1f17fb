/**
 * Reads the ids that the workload needs before a run, and reads the service through the client after
 * a run, for comparison with the books.
 */
import type { Card } from "@manilla/cards/Card"
import type { PaymentLink } from "@manilla/payment-links/PaymentLink"
import type { Refund } from "@manilla/refunds/Refund"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import type { Transaction } from "@manilla/transactions/Transaction"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Means } from "./Writes.js"
import type { Client } from "./Process.js"

export interface Seen {
  readonly cards: ReadonlyArray<Card>
  readonly links: ReadonlyArray<PaymentLink>
  readonly transactions: ReadonlyArray<Transaction>
  readonly refunds: ReadonlyArray<Refund>
}

/** Reads the ids that the requests of a run refer to. The client makes what the sandbox does not have. */
export const means = ({
  sandbox
}: {
  readonly sandbox: Sandbox.Service
  readonly client: Client
}) =>
  Effect.gen(function* () {
    const wallets = yield* sandbox.wallets
    const walletOf = (currency: string) =>
      wallets.find((wallet) => wallet.currency === currency)?.id ?? ""
    const [cardholder] = yield* sandbox.cardholders
    const found: Means = {
      xofWallet: walletOf("XOF"),
      usdWallet: walletOf("USD"),
      cardholder: cardholder?.id ?? "",
      made: 0
    }
    return found
  })

/** Small pages, so that lists span several. */
const pageSize = { per_page: 2 } as const

export const look = (client: Client, refunds: ReadonlyArray<Refund>) =>
  Effect.gen(function* () {
    const seen: Seen = {
      cards: yield* all(client.cards().stream(pageSize)),
      links: yield* all(client.paymentLinks().stream(pageSize)),
      transactions: yield* all(client.transactions().stream(pageSize)),
      refunds: yield* Effect.forEach(refunds, ({ reference }) =>
        client.refunds().awaitFinal(reference)
      )
    }
    return seen
  })

const all = <A, E, R>(stream: Stream.Stream<A, E, R>) =>
  Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)
