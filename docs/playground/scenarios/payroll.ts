import { IdempotencyKey } from "@manilla/core"
import { Payouts } from "@manilla/payouts"
import { Fault, Sandbox } from "@manilla/sandbox"
import { Array, Effect } from "effect"

export const program = Effect.gen(function* () {
  const { faults, wallets } = yield* Sandbox.Sandbox
  const [wallet] = yield* wallets
  if (wallet === undefined) return yield* Effect.fail("there is no wallet")

  // Chance decides which of the requests suffer: another seed, other requests.
  const some = { operation: "Payouts.create", count: 5, probability: 0.25, seed: 1 } as const
  yield* faults.add(Fault.dropAfter(some))
  yield* faults.add(Fault.dropBefore(some))
  yield* faults.add(Fault.status(503, { ...some, processed: true }))

  const payouts = yield* Payouts.Payouts
  return yield* Effect.forEach(
    Array.range(1, 20),
    (employee) =>
      payouts.create(
        {
          wallet_id: wallet.id,
          amount: String(100_000 + 1_000 * employee),
          currency: "XOF",
          country: "BJ",
          payment_method: "mtn_momo",
          destination: "+2290161234567"
        },
        { key: IdempotencyKey.derive("salary", "2026-11", String(employee)) }
      ),
    { concurrency: 4 }
  )
})
