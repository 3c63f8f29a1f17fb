/**
 * Injects faults into the service, the client processes and the clock.
 */
import * as PaymentLink from "@manilla/payment-links/PaymentLink"
import type * as Refund from "@manilla/refunds/Refund"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Chance } from "./Chance.js"
import type { Instruction } from "./Workload.js"
import * as Workload from "./Workload.js"
import type { Network } from "./Network.js"
import type { Time } from "@manilla/test-support/Time"
import type { Trace } from "./Trace.js"

const weights = {
  "revoke the tokens": 4,
  "rotate the secret": 1,
  "remove scopes": 2,
  "suspend the account": 1,
  "suspend the machine": 2,
  "set the clock": 2,
  "crash the process": 3,
  "reject every request for a while": 2,
  "settle one of each kind": 2,
  "refund a transaction": 2,
  "pay a payment link": 2
}

export interface Parameters {
  readonly sandbox: Sandbox.Service
  readonly network: Network
  readonly chance: Chance
  readonly time: Time
  readonly trace: Trace
  readonly instructions: ReadonlyArray<Instruction>
  readonly refunds: Array<Refund.Refund>
  /** Ends the client process at whatever point it has reached, and starts another. */
  readonly restart: Effect.Effect<void>
}

export interface Nemesis {
  readonly run: Effect.Effect<void>
  /** Undoes the lasting effects of faults. */
  readonly heal: Effect.Effect<void>
  /** Whether the machine was suspended or the clock was set. */
  readonly clockWasSet: () => boolean
}

/** The scopes that operations require. */
const scopes = Arr.dedupe([...ServiceApi.operations.values()].map(({ access }) => access)).filter(
  (access) => access !== "bearer" && access !== "credentials"
)

export const make = (parameters: Parameters): Nemesis => {
  const { chance, instructions, network, refunds, restart, sandbox, time, trace } = parameters
  let clockWasSet = false
  let secretIsOld = false

  const restoreScopes = sandbox.setScopes(scopes)
  const restoreStanding = sandbox.setStanding({ accountActive: true })
  const redeploy = Effect.suspend(() => {
    if (!secretIsOld) return Effect.void
    secretIsOld = false
    return restart
  })

  const injectFault = Effect.gen(function* () {
    const fault = chance.weighted(weights)
    trace.write("nemesis", fault)
    switch (fault) {
      case "revoke the tokens":
        return yield* sandbox.revokeTokens
      case "rotate the secret":
        yield* sandbox.rotateSecret
        secretIsOld = true
        // Until the new secret is deployed, no call gets a token.
        yield* Effect.sleep(chance.between(0, 60_000))
        return yield* redeploy
      case "remove scopes":
        yield* sandbox.setScopes(scopes.filter(() => chance.often(0.5)))
        yield* Effect.sleep(chance.between(500, 40_000))
        return yield* restoreScopes
      case "suspend the account":
        yield* sandbox.setStanding({ accountActive: false })
        yield* Effect.sleep(chance.between(500, 20_000))
        return yield* restoreStanding
      case "suspend the machine":
        clockWasSet = true
        return time.jump(chance.between(1000, 3_600_000))
      case "set the clock":
        clockWasSet = true
        return time.setClock(chance.between(-240_000, 240_000))
      case "crash the process":
        return yield* restart
      case "reject every request for a while":
        return network.storm()
      case "settle one of each kind": {
        const status = chance.pick(["FAILED", "COMPLETED", "CANCELLED"])
        const all = [yield* sandbox.paymentIntents, yield* sandbox.payouts, yield* sandbox.refunds]
        for (const rows of all) {
          const resource = rows.find((row) => row.status === "PENDING")?.reference
          if (resource !== undefined) yield* Effect.option(sandbox.settle({ resource, status }))
        }
        return
      }
      case "refund a transaction": {
        const [transaction] = (yield* sandbox.transactions).filter(
          ({ operation }) => operation === "COLLECTION" || operation === "DEPOSIT"
        )
        if (transaction === undefined) return
        const refund = yield* Effect.option(
          sandbox.refund({
            transaction: transaction.reference,
            ...(chance.often(0.5) ? {} : { amount: String(chance.between(1, 2000)) })
          })
        )
        if (Option.isSome(refund)) refunds.push(refund.value)
        return
      }
      case "pay a payment link": {
        const [id] = instructions
          .filter((instruction) => !Workload.isKeyed(instruction))
          .flatMap(Workload.outcomes)
          .flatMap((outcome) => (outcome._tag === "Applied" ? outcome.names : []))
          .filter(isLinkId)
        if (id !== undefined) yield* Effect.option(sandbox.payLink({ id }))
      }
    }
  })

  return {
    run: Effect.gen(function* () {
      for (let left = chance.between(0, 5); left > 0; left--) {
        yield* Effect.sleep(chance.between(0, 30_000))
        yield* injectFault
      }
    }),
    heal: Effect.all([restoreScopes, restoreStanding, redeploy], { discard: true }),
    clockWasSet: () => clockWasSet
  }
}

const isLinkId = Schema.is(PaymentLink.PaymentLinkId)
