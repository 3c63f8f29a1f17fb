/** The service of the kill tests: a sandbox in this process that injects faults, and what must hold at the end. */
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as Fault from "@manilla/sandbox/Fault"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as hostileProxy from "./hostileProxy.js"
import { type Access, type Job, keysOf } from "./jobs.js"

export const layer = (seed: number) =>
  SandboxServer.layer({
    seed,
    settleAfter: "1 second",
    // The whole log of a long run, for its report.
    exchangeCapacity: 2_000_000,
    wallets: [
      { currency: Currency.Currency.make("XOF"), balance: Amount.Amount.make("1000000000000") }
    ]
  })

/** The settings with which a worker uses the service, through a hostile proxy. */
export const access = (sandbox: Sandbox.Service, options?: hostileProxy.Options) =>
  Effect.gen(function* () {
    const to = new URL(sandbox.baseUrl)
    const proxy = yield* hostileProxy.make(to, yield* Effect.random, options)
    const { client_id: clientId, client_secret: clientSecret } = yield* sandbox.credentials
    const [wallet] = yield* sandbox.wallets
    const [cardholder] = yield* sandbox.cardholders
    const found: Access = {
      baseUrl: proxy.url,
      authUrl: sandbox.authUrl,
      clientId,
      clientSecret: Redacted.value(clientSecret),
      wallet: wallet?.id ?? "",
      cardholder: cardholder?.id ?? ""
    }
    return { access: found, proxy }
  })

const creations = ["Payments.create", "Payouts.create", "Cards.issue"] as const

export const injectFaults = ({ faults, revokeTokens }: Sandbox.Service, hasBatches = false) =>
  Effect.gen(function* () {
    const creation = hasBatches ? "Payouts.create" : yield* Random.choice(creations)
    const read = yield* Random.choice(["Payments.get", "Payouts.get"] as const)
    const fault = yield* Random.choice([
      faults.add(Fault.dropAfter({ operation: creation, count: 3 })),
      faults.add(Fault.dropBefore({ operation: creation, count: 2 })),
      faults.add(Fault.delay("300 millis", { operation: creation })),
      faults.add(Fault.status(503, { operation: creation, count: 2, processed: true })),
      faults.add(Fault.status(429, { operation: creation, count: 3 })),
      faults.add(Fault.body("<html>", { operation: creation })),
      faults.add(Fault.dropAfter({ operation: read, count: 3 })),
      revokeTokens
    ])
    // The faults that met no request are removed, or they would outnumber the requests.
    yield* faults.clear
    yield* fault
    yield* Effect.sleep("150 millis")
  }).pipe(Effect.forever)

/** How many keys the service has heard of. */
export const keysHeardOf = (sandbox: Sandbox.Service) =>
  Effect.map(
    sandbox.exchanges,
    (exchanges) => new Set(exchanges.flatMap(({ key }) => (key === undefined ? [] : [key]))).size
  )

/** The errors in the ledger of the service. */
export const violationsIn = (sandbox: Sandbox.Service, all: ReadonlyArray<Job>) =>
  Effect.gen(function* () {
    const made = [
      ...(yield* sandbox.paymentIntents).map(({ idempotency_key, status }) => ({
        key: `${idempotency_key}`,
        isDone: status === "COMPLETED"
      })),
      ...(yield* sandbox.payouts).map(({ idempotency_key, status }) => ({
        key: `${idempotency_key}`,
        isDone: status === "COMPLETED"
      })),
      ...(yield* sandbox.cards).map(({ issuance_reference }) => ({
        key: issuance_reference,
        isDone: true
      }))
    ]
    const times = new Map<string, number>()
    for (const { key } of made) times.set(key, (times.get(key) ?? 0) + 1)
    const expected = all.flatMap(keysOf)
    const violations = [
      ...expected
        .filter((key) => times.get(key) !== 1)
        .map((key) => `${key} was applied ${times.get(key) ?? 0} times`),
      ...made.filter(({ isDone }) => !isDone).map(({ key }) => `${key} is not completed`)
    ]
    if (made.length !== expected.length)
      violations.push(`${made.length} of ${expected.length} made`)
    // A payment and a card are one movement each. A payout is reserved, then paid.
    const moves = all.reduce(
      (sum, job) =>
        sum + keysOf(job).length * (job.kind === "payout" || job.kind === "batch" ? 2 : 1),
      0
    )
    const { journal } = yield* sandbox.ledger
    const moved = journal.filter(({ description }) => description !== "opening balance").length
    if (moved !== moves) violations.push(`money moved ${moved} times, not ${moves}`)
    return violations
  })
