/**
 * The state of the service with its rules, free of HTTP, and the controls over it.
 */
import type { ServiceList } from "@manilla/catalogue/AvailableService"
import * as Operation from "@manilla/core/Operation"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Sandbox from "../Sandbox.js"
import * as ServiceApi from "../ServiceApi.js"
import * as accounts from "./accounts.js"
import * as catalogue from "./catalogue.js"
import * as exchanges from "./exchanges.js"
import * as faults from "./faults.js"
import * as identifiers from "./identifiers.js"
import * as payments from "./payments.js"

export interface Emulation {
  readonly identifiers: identifiers.Identifiers
  readonly accounts: accounts.Accounts
  readonly payments: payments.Payments
  readonly catalogue: ServiceList
  readonly faults: faults.Queue
  readonly exchanges: exchanges.Log
}

export const make = (options: Sandbox.Options = {}): Effect.Effect<Emulation> =>
  Effect.gen(function* () {
    const random = options.seed === undefined ? yield* Effect.random : Random.make(options.seed)
    const names = identifiers.make(random)
    const account = yield* accounts.make({
      identifiers: names,
      scopes: options.scopes ?? scopes,
      tokenLifetime: options.tokenLifetime ?? "1 hour"
    })
    const services = options.services ?? catalogue.services
    return {
      identifiers: names,
      accounts: account,
      payments: payments.make({
        identifiers: names,
        accountId: account.accountId,
        applicationId: account.applicationId,
        settleAfter: options.settleAfter ?? "2 seconds",
        services
      }),
      catalogue: { environment: "SANDBOX", services },
      faults: faults.make(),
      exchanges: exchanges.make(options.exchangeCapacity ?? 50_000)
    }
  })

/** Every scope that an operation asks for. */
const scopes: ReadonlyArray<Operation.Scope> = Array.from(
  new Set(
    Array.from(ServiceApi.operations.values(), (operation) => operation[Operation.TypeId].access)
  )
).filter((access) => access !== "bearer" && access !== "credentials")

/** What the sandbox shows of itself, at the addresses where it can be reached. */
export const control = (
  { accounts, exchanges, faults, payments }: Emulation,
  urls: Pick<Sandbox.Service, "baseUrl" | "authUrl">
): Sandbox.Service => ({
  ...urls,
  credentials: accounts.credentials,
  rotateSecret: accounts.rotateSecret,
  revokeTokens: accounts.revokeTokens,
  setScopes: accounts.setScopes,
  setStanding: accounts.setStanding,
  paymentIntents: payments.all,
  settle: (id, status = "COMPLETED") => payments.settle(id, status),
  exchanges: exchanges.latest,
  faults: { add: faults.add, clear: faults.clear, pending: faults.pending }
})
