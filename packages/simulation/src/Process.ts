/**
 * A process that uses the client: its gateway, tokens and services. It can crash at any moment, and
 * another replaces it.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Cards from "@manilla/cards/Cards"
import * as Gateway from "@manilla/core/Gateway"
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Refunds from "@manilla/refunds/Refunds"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Token from "@manilla/token/Token"
import * as Transactions from "@manilla/transactions/Transactions"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Network } from "./Network.js"

/** Services are made on first use, because most runs need few of them. */
export interface Client {
  readonly payments: () => Payments.Service
  readonly payouts: () => Payouts.Service
  readonly cards: () => Cards.Service
  readonly paymentLinks: () => PaymentLinks.Service
  readonly refunds: () => Refunds.Service
  readonly transactions: () => Transactions.Service
}

export interface Process {
  readonly number: number
  readonly client: Client
  /** Runs an effect in the process. Ends with "crashed" if the process ends first. */
  readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A | "crashed", E, R>
  /** Ends every effect of the process at whatever point it has reached, and closes its scope. */
  readonly end: Effect.Effect<void>
}

export interface Parameters {
  readonly number: number
  readonly sandbox: Sandbox.Service
  readonly network: Network
  readonly policy: Partial<RetryPolicy.RetryPolicy>
}

export const start = ({ network, number, policy, sandbox }: Parameters) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const ended = yield* Deferred.make<"crashed">()
    const { authUrl, baseUrl } = sandbox
    const { client_id: clientId, client_secret: clientSecret } = yield* sandbox.credentials
    // The services are made without layers: building layers would take a tenth of a run.
    const gateway = yield* Token.make({ authUrl, clientId, clientSecret, retry: policy }).pipe(
      Effect.flatMap((tokens) =>
        Gateway.make({ baseUrl, pageParameter: Sandbox.pageParameter, retry: policy }, tokens)
      ),
      Effect.provideService(HttpClient.HttpClient, network.clientOf(number)),
      Scope.extend(scope),
      Effect.orDie
    )
    const lazily = <A>(make: Effect.Effect<A, never, Gateway.Gateway>): (() => A) => {
      let made: A | undefined
      return () => (made ??= Effect.runSync(Effect.provideService(make, Gateway.Gateway, gateway)))
    }
    const started: Process = {
      number,
      client: {
        payments: lazily(Payments.make),
        payouts: lazily(Payouts.make),
        cards: lazily(Cards.make),
        paymentLinks: lazily(PaymentLinks.make),
        refunds: lazily(Refunds.make),
        transactions: lazily(Transactions.make)
      },
      run: (effect) => Effect.raceFirst(effect, Deferred.await(ended)),
      end: Effect.zipRight(Deferred.succeed(ended, "crashed"), Scope.close(scope, Exit.void))
    }
    return started
  })
