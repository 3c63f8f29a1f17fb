/**
 * One run of a program: the real client over the real sandbox, in virtual time. Between them is a network that takes
 * time, and records what passes.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as Wallet from "@manilla/core/Wallet"
import * as calls from "@manilla/promises/calls"
import * as Clients from "@manilla/service/Clients"
import * as Promises from "@manilla/promises/Promises"
import type { Exchange } from "@manilla/sandbox/Exchange"
import * as Prove from "@manilla/sandbox/Prove"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as FakeTimers from "@sinonjs/fake-timers"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Inspectable from "effect/Inspectable"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import * as Runtime from "effect/Runtime"
import type { Attempt } from "../../packages/sandbox/page/drawing.js"
import { kinds, nameIn, oneOf } from "../../packages/sandbox/page/kinds.js"
import type { Kind, Row } from "../../packages/sandbox/page/kinds.js"
import { compile } from "./compile.js"

/** The state of the service: its resources, and the balances of its ledger, which has one currency. */
export interface Books {
  readonly made: ReadonlyArray<Made>
  readonly balances: ReadonlyMap<string, string>
}

export interface Made {
  /** Such as "payment". */
  readonly kind: string
  readonly reference: string
  readonly amount: string
  readonly status: string
  readonly key?: string | undefined
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
  /** In the time of the requests. */
  readonly nowMillis: number
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

const { setTimeout: realTimeout } = globalThis
const startMillis = Date.UTC(2026, 10, 25, 9)
const latencyMillis = 80
const seed = "playground"

/** A turn of the event loop: until then, everything runs that has something to do. */
const turn = () => new Promise<void>((resolve) => realTimeout(resolve))

/** Starts a program, once in a worker: its time is virtual from then on. Throws if it cannot be compiled. */
export const start = (code: string): Run => {
  const attempts: Array<Mutable<Attempt>> = []
  const logs: Array<string> = []
  let sandbox: Sandbox.Service | undefined
  let before: Books | undefined
  let end: End | undefined
  const timers = FakeTimers.install({
    now: startMillis,
    toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"]
  })
  const read = (service: Sandbox.Service) => Effect.runSync(booksOf(service))
  console.log = (...parts) => {
    const seconds = ((timers.now - startMillis) / 1000).toFixed(2)
    logs.push(`${seconds.padStart(6)} s  ${parts.map((one) => toText(one)).join(" ")}`)
  }
  const logger = Logger.make(({ message }) => console.log(...[message].flat()))
  const surroundings = Layer.mergeAll(
    Logger.replace(Logger.defaultLogger, logger),
    Logger.minimumLogLevel(LogLevel.Debug),
    Layer.setRandom(Random.make(seed))
  )
  const managed = ManagedRuntime.make(Layer.provideMerge(live(attempts), surroundings))
  const { faults = [], program } = compile(code, {
    make: async (options) => {
      if (options !== undefined) return Promises.make(options)
      const { context } = await managed.runtime()
      return calls.makeWith(Layer.merge(Layer.succeedContext(context), surroundings))
    },
    everyFaultPromise: (checkout) => {
      timers.uninstall()
      return Prove.everyFaultPromise(checkout)
    }
  })
  const runnable = runnableOf(program)
  const fiber = managed.runFork(
    Effect.gen(function* () {
      sandbox = yield* Sandbox.Sandbox
      before = read(sandbox)
      yield* Effect.forEach(faults, sandbox.faults.add)
      return yield* runnable
    })
  )
  /** A proof has a sandbox and a time of its own. */
  let failed: Prove.Failure | undefined
  fiber.addObserver((exit) => {
    end = endOf(exit)
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    failed = error instanceof Prove.ProofFailed ? error.proof?.failures[0] : undefined
    if (failed === undefined) return
    attempts.push(...failed.exchanges.map(attemptOf))
    end = { is: "failure", tag: "ProofFailed", message: `${failed.faults}. ${failed.sentence}` }
  })

  return {
    course: () => ({
      attempts,
      logs,
      elapsedMillis: timers.now - startMillis,
      nowMillis: failed === undefined ? timers.now : Infinity,
      before,
      now: failed === undefined && sandbox ? read(sandbox) : undefined,
      end
    }),
    pass: async (millis) => {
      const until = timers.now + millis
      for (;;) {
        await turn()
        const next = timers.timerHeap?.peek()?.callAt ?? Infinity
        if (end !== undefined || next > until || next === Infinity) break
        timers.next()
      }
      if (end === undefined && until < Infinity) timers.tick(until - timers.now)
    },
    step: async () => {
      await turn()
      if (end === undefined) timers.next()
      await turn()
    }
  }
}

/** The effect that a program exports, or the promise that its function returns. */
const runnableOf = (program: unknown) => {
  // The reader's program can ask for a service that is not here. That is a defect of it.
  if (Effect.isEffect(program)) return program as Effect.Effect<unknown, unknown>
  if (!Predicate.isFunction(program)) {
    throw new Error("The code must export an effect or an async function with the name `program`.")
  }
  return Effect.tryPromise({ try: async (): Promise<unknown> => program(), catch: causeOf }).pipe(
    Effect.flatMap((value) => {
      const failed = [value].flat().find(isFailed)
      return failed === undefined ? Effect.succeed(value) : Effect.fail(failed.error)
    })
  )
}

/** A call that failed resolves to a result that has the error. */
const isFailed = (value: unknown): value is { readonly error: unknown } =>
  Predicate.hasProperty(value, "ok") && value.ok === false

const causeOf = (error: unknown) =>
  Runtime.isFiberFailure(error) ? Cause.squash(error[Runtime.FiberFailureCauseId]) : error

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

const wallet = {
  id: Wallet.WalletId.make("0198c5a2-7c1e-4f6b-9d3a-5e8f20417b6c"),
  currency: Currency.Currency.make("XOF"),
  balance: Amount.Amount.make("10000000.0000")
}

/** The clients of all domains over the sandbox, and a network between them that takes time. */
const live = (attempts: Array<Mutable<Attempt>>) => {
  /** Those that reached the sandbox, in its order. */
  const arrived: Array<Mutable<Attempt>> = []
  const onExchange = (exchange: Exchange) =>
    Effect.sync(() => Object.assign(arrived[exchange.index] ?? {}, endedBy(exchange)))
  const network = (client: HttpClient.HttpClient) =>
    HttpClient.transform(client, (exchange, request) =>
      Effect.suspend(() => {
        const attempt: Mutable<Attempt> = {
          id: attempts.length,
          key: request.headers["idempotency-key"] ?? null,
          label: labelOf(request.method, new URL(request.url).pathname),
          startMillis: Date.now(),
          endMillis: undefined,
          status: undefined,
          isReplay: false,
          reachedService: true
        }
        attempts.push(attempt)
        const left = Effect.sync(() =>
          Object.assign(attempt, { endMillis: Date.now(), status: "caller left" })
        )
        return Effect.gen(function* () {
          yield* Effect.sleep(latencyMillis)
          attempt.arrivedMillis = Date.now()
          arrived.push(attempt)
          const exit = yield* Effect.exit(exchange)
          attempt.endMillis = Date.now() + latencyMillis
          yield* Effect.sleep(latencyMillis)
          return yield* exit
        }).pipe(Effect.onInterrupt(() => left))
      })
    )
  const slow = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, network))
  return Clients.layer.pipe(
    Layer.provideMerge(SandboxGateway.layer()),
    Layer.provideMerge(slow),
    Layer.provideMerge(SandboxClient.layer({ seed, wallets: [wallet], onExchange }))
  )
}

/** How the sandbox ended a request. */
const endedBy = ({ ending, fault, replay }: Exchange) => ({
  status: ending === "open" ? undefined : ending,
  isReplay: replay,
  reachedService: fault?.answersInstead !== true
})

/** A request of a proof. */
const attemptOf = (exchange: Exchange): Attempt => ({
  id: exchange.index,
  key: exchange.key ?? null,
  label: labelOf(exchange.method, exchange.path),
  startMillis: exchange.atMillis,
  endMillis: exchange.atMillis + (exchange.tookMillis ?? 0),
  ...endedBy(exchange)
})

const labelOf = (method: string, path: string): string =>
  `${method} ${path.replace("/api/v1", "").replace(/([\da-f]{4})[\da-f-]{32}/, "$1…")}`

/** A transaction follows from another resource, and the cardholders were there before. */
const hidden: ReadonlySet<string> = new Set(["transactions", "cardholders"])

const booksOf = ({ ledger, resources }: Sandbox.Service) =>
  Effect.map(
    Effect.all({ ledger, resources: resources({ limit: 1000 }) }),
    ({ ledger, resources }): Books => ({
      made: kinds
        .filter((kind) => !hidden.has(kind))
        .flatMap((kind) => {
          const rows: ReadonlyArray<Row> = resources[kind]
          return rows.map((row) => madeOf(kind, row)).reverse()
        }),
      balances: new Map(
        ledger.balances.map(({ account, balance }) => [account.kind, grouped(balance)])
      )
    })
  )

const madeOf = (kind: Kind, row: Row): Made => {
  const { amount, currency, idempotency_key, status } = row
  return {
    kind: oneOf(kind),
    reference: nameIn(row),
    amount: amount ? `${grouped(amount)} ${currency ?? ""}` : "",
    status: status ?? "",
    key: idempotency_key ?? undefined
  }
}

/** `1500.0000` as `1,500.00`. */
const grouped = (amount: string): string =>
  Number(amount).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 4 })

const toText = (value: unknown) => Inspectable.toStringUnknown(value)

const endOf = (exit: Exit.Exit<unknown, unknown>): End => {
  if (Exit.isSuccess(exit)) return { is: "success", value: toText(exit.value) }
  const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (!Predicate.hasProperty(error, "_tag")) {
    return { is: "defect", message: Cause.pretty(exit.cause) }
  }
  const message = Predicate.hasProperty(error, "message") ? String(error.message) : ""
  return { is: "failure", tag: String(error._tag), message }
}
