/**
 * What goes wrong at the service itself, with the processes, and with the time.
 */
import type * as Operation from "@manilla/core/Operation"
import * as PaymentLink from "@manilla/payment-links/PaymentLink"
import type * as Refund from "@manilla/refunds/Refund"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Chance } from "./Chance.js"
import type { Instruction } from "./Workload.js"
import * as Workload from "./Workload.js"
import type { Network } from "./Network.js"
import type { Time } from "./Time.js"
import type { Trace } from "./Trace.js"

const weights = {
  "revoke the tokens": 4,
  "rotate the secret": 1,
  "take scopes away": 2,
  "suspend the account": 1,
  "put the machine to sleep": 2,
  "correct the clock": 2,
  "crash the process": 3,
  "refuse everything for a while": 2,
  "settle something": 2,
  "refund something": 2,
  "pay a link": 2
}

export interface Parameters {
  readonly sandbox: Sandbox.Service
  readonly network: Network
  readonly chance: Chance
  readonly time: Time
  readonly trace: Trace
  readonly instructions: ReadonlyArray<Instruction>
  readonly refunds: Array<Refund.Refund>
  /** Ends the process wherever it is, and starts another. */
  readonly restart: Effect.Effect<void>
}

export interface Nemesis {
  readonly cause: Effect.Effect<void>
  /** Undoes what would last. */
  readonly end: Effect.Effect<void>
  /** Whether time went by, or the clock was set, behind the back of everyone. */
  readonly clockWasSet: () => boolean
}

const scopes: readonly [Operation.Scope, ...ReadonlyArray<Operation.Scope>] = [
  "payments.read",
  "payments.write",
  "transactions.read",
  "refunds.read",
  "payment_links.read",
  "payment_links.write",
  "virtual_cards.users.read",
  "virtual_cards.cards.read",
  "virtual_cards.cards.write"
]

export const make = (parameters: Parameters): Nemesis => {
  const { chance, instructions, network, refunds, restart, sandbox, time, trace } = parameters
  let clockWasSet = false
  let secretIsOld = false

  const restoreScopes = sandbox.setScopes([...scopes, "withdrawals.read", "withdrawals.write"])
  const restoreStanding = sandbox.setStanding({ accountActive: true })
  const redeploy = Effect.suspend(() => {
    if (!secretIsOld) return Effect.void
    secretIsOld = false
    return restart
  })

  const one = Effect.gen(function* () {
    const what = chance.weighted(weights)
    trace.write("trouble", what)
    switch (what) {
      case "revoke the tokens":
        return yield* sandbox.revokeTokens
      case "rotate the secret":
        yield* sandbox.rotateSecret
        secretIsOld = true
        // Until it is deployed, no call finds a token.
        yield* Effect.sleep(chance.between(0, 60_000))
        return yield* redeploy
      case "take scopes away":
        yield* sandbox.setScopes(scopes.filter(() => chance.often(0.5)))
        yield* Effect.sleep(chance.between(500, 40_000))
        return yield* restoreScopes
      case "suspend the account":
        yield* sandbox.setStanding({ accountActive: false })
        yield* Effect.sleep(chance.between(500, 20_000))
        return yield* restoreStanding
      case "put the machine to sleep":
        clockWasSet = true
        return time.jump(chance.between(1000, 3_600_000))
      case "correct the clock":
        clockWasSet = true
        return time.correct(chance.between(-240_000, 240_000))
      case "crash the process":
        return yield* restart
      case "refuse everything for a while":
        return network.storm()
      case "settle something": {
        const status = chance.pick(["FAILED", "COMPLETED", "CANCELLED"])
        const [payment] = (yield* sandbox.paymentIntents).filter(isPending)
        if (payment !== undefined) yield* sandbox.settle(payment.id, status)
        const [payout] = (yield* sandbox.payouts).filter(isPending)
        if (payout !== undefined) yield* sandbox.settlePayout(payout.reference, status)
        return
      }
      case "refund something": {
        const [transaction] = (yield* sandbox.transactions).filter(
          ({ operation }) => operation === "COLLECTION" || operation === "DEPOSIT"
        )
        if (transaction === undefined) return
        const refund = yield* Effect.option(
          sandbox.refund(
            transaction.reference,
            chance.often(0.5) ? {} : { amount: String(chance.between(1, 2000)) }
          )
        )
        if (Option.isSome(refund)) refunds.push(refund.value)
        return
      }
      case "pay a link": {
        const [id] = instructions
          .filter((instruction) => !Workload.isKeyed(instruction))
          .flatMap(Workload.outcomes)
          .flatMap((outcome) => (outcome._tag === "Applied" ? outcome.names : []))
          .filter(isLinkId)
        if (id !== undefined) yield* Effect.option(sandbox.payLink(id))
      }
    }
  })

  return {
    cause: Effect.gen(function* () {
      for (let left = chance.between(0, 5); left > 0; left--) {
        yield* Effect.sleep(chance.between(0, 30_000))
        yield* one
      }
    }),
    end: Effect.all([restoreScopes, restoreStanding, redeploy], { discard: true }),
    clockWasSet: () => clockWasSet
  }
}

const isPending = ({ status }: { readonly status: string }): boolean => status === "PENDING"

const isLinkId = Schema.is(PaymentLink.PaymentLinkId)
