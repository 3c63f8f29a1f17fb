/**
 * One run of a program: the real client over the real sandbox, in virtual time. Between them is a network that takes
 * time, and records what passes.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as Clients from "@manilla/service/Clients"
import type { Exchange } from "@manilla/sandbox/Exchange"
import * as Ledger from "@manilla/sandbox/Ledger"
import * as Prove from "@manilla/sandbox/Prove"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Inspectable from "effect/Inspectable"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import type { Attempt } from "../../packages/sandbox/page/drawing.js"
import { compile } from "./compile.js"
import * as Time from "@manilla/test-support/Time"

/** The state of the service: its resources, and the balances of its ledger. */
export interface Books {
  readonly made: ReadonlyArray<Made>
  readonly balances: ReadonlyMap<string, string>
}

export interface Made {
  readonly kind: "payment" | "payout" | "link"
  readonly reference: string
  readonly amount: string
  readonly status: string
  readonly key: string | undefined
}

export type End =
  | { readonly is: "success"; readonly value: string }
  | { readonly is: "failure"; readonly tag: string; readonly message: string }
  | { readonly is: "defect"; readonly message: string }

/** A run as it is at a moment. */
export interface Course {
  readonly attempts: ReadonlyArray<Attempt>
  readonly logs: ReadonlyArray<string>
  readonly elapsedMillis: number
  readonly before: Books | undefined
  readonly now: Books | undefined
  readonly end: End | undefined
}

export interface Run {
  readonly course: () => Course
  /** Lets time pass. */
  readonly pass: (millis: number) => Promise<void>
  /** Lets time pass until the next event. */
  readonly step: () => Promise<void>
}

const startMillis = Date.UTC(2026, 10, 25, 9)
const latencyMillis = 80
const seed = "playground"

/** Starts a program. Throws if it cannot be compiled. */
export const start = (code: string): Run => {
  const program = compile(code)
  const time = Time.make({ startMillis, wakes: "one" })
  const attempts: Array<Mutable<Attempt>> = []
  const logs: Array<string> = []
  let sandbox: Sandbox.Service | undefined
  let before: Books | undefined
  let end: End | undefined

  const { elapsedMillis } = time
  const read = (service: Sandbox.Service) =>
    Effect.runSync(Effect.withClock(booksOf(service), time.clock))
  const logger = Logger.make(({ message }) => {
    const seconds = (elapsedMillis() / 1000).toFixed(2)
    logs.push(`${seconds.padStart(6)} s  ${[message].flat().map(String).join(" ")}`)
  })

  const fiber = Effect.gen(function* () {
    sandbox = yield* Sandbox.Sandbox
    before = read(sandbox)
    return yield* program
  }).pipe(
    Effect.provide(live(attempts)),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
    Logger.withMinimumLogLevel(LogLevel.Debug),
    Effect.withRandom(Random.make(seed)),
    Effect.withClock(time.clock),
    // The reader's program can ask for a service that is not here. That is a defect of it.
    (all) => Effect.runFork(all as Effect.Effect<unknown, unknown>)
  )
  /** A proof has a sandbox of its own. */
  let failed: Prove.Failure | undefined
  fiber.addObserver((exit) => {
    end = endOf(exit)
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    failed = error instanceof Prove.ProofFailed ? error.proof?.failures[0] : undefined
    if (failed === undefined) return
    const { atMillis = 0, tookMillis = 0 } = failed.exchanges.at(-1) ?? {}
    const shift = time.nowMillis() - atMillis - tookMillis
    attempts.push(...failed.exchanges.map((one) => attemptOf(one, shift)))
    end = { is: "failure", tag: "ProofFailed", message: `${failed.faults}. ${failed.sentence}` }
  })

  return {
    course: () => ({
      attempts: attempts.map((one) => ({ ...one, ...sinceStart(one) })),
      logs,
      elapsedMillis: elapsedMillis(),
      before,
      now: failed === undefined && sandbox ? read(sandbox) : undefined,
      end
    }),
    pass: async (millis) => {
      const until = time.elapsedMillis() + millis
      await settled()
      while (end === undefined && time.wakeNext(until)) await settled()
    },
    step: async () => {
      await settled()
      if (end === undefined) time.wakeNext(Infinity)
      await settled()
    }
  }
}

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

/** A turn of the event loop: until then, fibers run that have something to do. */
const settled = () => new Promise<void>((resolve) => setTimeout(resolve))

const sinceStart = ({ arrivedMillis, endMillis, startMillis: sent }: Attempt) => ({
  startMillis: sent - startMillis,
  arrivedMillis: arrivedMillis && arrivedMillis - startMillis,
  endMillis: endMillis && endMillis - startMillis
})

/** The clients of all domains over the sandbox. */
const live = (attempts: Array<Mutable<Attempt>>) =>
  Clients.layer.pipe(
    Layer.provide(SandboxGateway.layer()),
    Layer.provideMerge(
      Layer.effect(
        HttpClient.HttpClient,
        Effect.map(HttpClient.HttpClient, (client) => network(client, attempts))
      )
    ),
    Layer.provideMerge(SandboxClient.layer({ seed, wallets: [wallet], onExchange: record }))
  )

const wallet = {
  currency: Currency.Currency.make("XOF"),
  balance: Amount.Amount.make("10000000.0000")
}

/** The attempt whose request the fiber handles. */
const current = FiberRef.unsafeMake<Mutable<Attempt> | undefined>(undefined)

/** Notes what the sandbox did with a request. */
const record = ({ fault, outcome, replay }: Exchange) =>
  Effect.map(FiberRef.get(current), (attempt) => {
    if (attempt === undefined || outcome === "open") return
    attempt.status = outcome
    attempt.isReplay = replay
    attempt.reachedService = fault?.answersInstead !== true
  })

/** A request of a proof, in the time of the playground. */
const attemptOf = (exchange: Exchange, shiftMillis: number): Attempt => ({
  id: exchange.index,
  key: exchange.key ?? null,
  label: labelOf(exchange.method, exchange.path),
  startMillis: exchange.atMillis + shiftMillis,
  endMillis: exchange.atMillis + (exchange.tookMillis ?? 0) + shiftMillis,
  status: exchange.outcome === "open" ? undefined : exchange.outcome,
  isReplay: exchange.replay,
  reachedService: exchange.fault?.answersInstead !== true
})

const network = (client: HttpClient.HttpClient, attempts: Array<Mutable<Attempt>>) =>
  HttpClient.transform(client, (exchange, request) =>
    Effect.gen(function* () {
      const attempt: Mutable<Attempt> = {
        id: attempts.length,
        key: request.headers["idempotency-key"] ?? null,
        label: labelOf(request.method, new URL(request.url).pathname),
        startMillis: yield* Clock.currentTimeMillis,
        arrivedMillis: undefined,
        endMillis: undefined,
        status: undefined,
        isReplay: false,
        reachedService: true
      }
      attempts.push(attempt)
      return yield* Effect.gen(function* () {
        yield* Effect.sleep(latencyMillis)
        attempt.arrivedMillis = yield* Clock.currentTimeMillis
        const exit = yield* Effect.exit(Effect.locally(exchange, current, attempt))
        attempt.endMillis = (yield* Clock.currentTimeMillis) + latencyMillis
        yield* Effect.sleep(latencyMillis)
        return yield* exit
      }).pipe(
        Effect.onInterrupt(() =>
          Effect.map(Clock.currentTimeMillis, (millis) => {
            attempt.endMillis = millis
            attempt.status = "caller left"
          })
        )
      )
    })
  )

const labelOf = (method: string, path: string): string =>
  `${method} ${path.replace("/api/v1", "").replace(/([\da-f]{4})[\da-f-]{32}/, "$1…")}`

const booksOf = ({ ledger, paymentIntents, paymentLinks, payouts }: Sandbox.Service) =>
  Effect.map(
    Effect.all({ ledger, paymentIntents, paymentLinks, payouts }),
    ({ ledger, paymentIntents, paymentLinks, payouts }): Books => ({
      made: [
        ...paymentIntents.map((one) => madeOf("payment", one, one.idempotency_key)),
        ...payouts.map((one) => madeOf("payout", one, one.idempotency_key)),
        ...paymentLinks.map((one) => madeOf("link", one))
      ],
      balances: new Map(
        ledger.balances.map((balance) => {
          const { currency, kind } = balance.account
          return [`${kind}, ${currency}`, netOf(balance)]
        })
      )
    })
  )

interface Resource {
  readonly reference?: string | undefined
  readonly amount: string
  readonly currency: string
  readonly status: string
}

const madeOf = (
  kind: Made["kind"],
  { amount, currency, reference = "", status }: Resource,
  key?: string
): Made => ({ kind, reference, amount: `${grouped(amount)} ${currency}`, status, key })

/** On the side that increases the account. */
const netOf = ({ account, credits, debits }: Ledger.Balance): string => {
  const [more, less] =
    Ledger.normalSide(account) === "debit" ? [debits, credits] : [credits, debits]
  return grouped(Amount.subtract(more, less))
}

/** `1500.0000` as `1,500.00`. */
const grouped = (amount: string): string => {
  const [whole = "", fraction = ""] = amount.split(".")
  const decimals = fraction.replace(/0+$/, "").padEnd(2, "0")
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${decimals}`
}

const endOf = (exit: Exit.Exit<unknown, unknown>): End => {
  if (Exit.isSuccess(exit)) {
    return { is: "success", value: Inspectable.toStringUnknown(exit.value) }
  }
  const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (!Predicate.hasProperty(error, "_tag")) {
    return { is: "defect", message: Cause.pretty(exit.cause) }
  }
  const message = Predicate.hasProperty(error, "message") ? String(error.message) : ""
  return { is: "failure", tag: String(error._tag), message }
}
