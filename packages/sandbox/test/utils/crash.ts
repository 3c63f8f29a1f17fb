/**
 * What is done in the trials of crashes: each way to move money, in a process that dies and in one
 * that goes on with the same key.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Cards from "@manilla/cards/Cards"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { collection, phone } from "./harness.js"
import * as mortal from "./mortal.js"

const key = IdempotencyKey.derive("crash", "42")

const { operation: _, ...payment } = collection

/** What a word says of the resource that it is about. */
interface Word {
  readonly name: string
  readonly status: string
}

type Clients = Payments.Payments | Payouts.Payouts | Cards.Cards

export interface Operation {
  readonly operation: Fault.OperationName
  readonly path: string
  readonly run: (
    wallet: Sandbox.Wallet,
    cardholder: string
  ) => Effect.Effect<Word, unknown, Clients>
  /** What there is of it at the service, and how often its money has moved. */
  readonly effects: (
    sandbox: Sandbox.Service
  ) => Effect.Effect<{ readonly made: ReadonlyArray<Word>; readonly moved: number }>
  /** How often money moves for one of it. */
  readonly moves: number
}

const moved = (sandbox: Sandbox.Service) =>
  Effect.map(
    sandbox.ledger,
    ({ journal }) => journal.filter(({ description }) => description !== "opening balance").length
  )

const payments = (sandbox: Sandbox.Service) =>
  Effect.gen(function* () {
    const made = (yield* sandbox.paymentIntents).map(({ id, status }) => ({ name: id, status }))
    return { made, moved: yield* moved(sandbox) }
  })

export const operations: Readonly<Record<string, Operation>> = {
  "Payments.create": {
    operation: "Payments.create",
    path: "/payments",
    run: () =>
      Effect.flatMap(Payments.Payments, (service) =>
        Effect.map(service.create(collection, { key }), ({ id, status }) => ({ name: id, status }))
      ),
    effects: payments,
    moves: 0
  },
  "Payments.collect": {
    operation: "Payments.create",
    path: "/payments",
    run: () =>
      Effect.flatMap(Payments.Payments, (service) =>
        Effect.map(service.collect(payment, { key }), ({ id, status }) => ({ name: id, status }))
      ),
    effects: payments,
    moves: 1
  },
  "Payouts.disburse": {
    operation: "Payouts.create",
    path: "/payouts",
    run: (wallet) =>
      Effect.flatMap(Payouts.Payouts, (service) =>
        Effect.map(
          service.disburse(
            {
              wallet_id: wallet.id,
              amount: "1000",
              currency: wallet.currency,
              country: "BJ",
              payment_method: "mtn_momo",
              destination: phone
            },
            { key }
          ),
          ({ reference, status }) => ({ name: reference, status })
        )
      ),
    effects: (sandbox) =>
      Effect.gen(function* () {
        const made = (yield* sandbox.payouts).map(({ reference, status }) => ({
          name: reference,
          status
        }))
        return { made, moved: yield* moved(sandbox) }
      }),
    // Reserved, then paid.
    moves: 2
  },
  "Cards.issue": {
    operation: "Cards.issue",
    path: "/cards",
    run: (wallet, customer_id) =>
      Effect.flatMap(Cards.Cards, (service) =>
        Effect.map(
          service.issue(
            {
              customer_id,
              wallet_id: wallet.id,
              debit_currency: wallet.currency,
              initial_balance: "10"
            },
            { key }
          ),
          ({ reservation }) => ({
            name: reservation?.reference ?? "none",
            status: reservation?.status ?? "none"
          })
        )
      ),
    effects: (sandbox) =>
      Effect.map(sandbox.ledger, ({ journal }) => {
        const issued = journal.filter(({ description }) => description === "card issued")
        return {
          made: issued.map(({ reference }) => ({ name: reference, status: "CAPTURED" })),
          moved: issued.length
        }
      }),
    moves: 1
  }
}

const services = (sandbox: Sandbox.Service): Layer.Layer<Clients, never, HttpClient.HttpClient> =>
  Layer.mergeAll(Payments.layer, Payouts.layer, Cards.layer).pipe(
    Layer.provide(Layer.orDie(SandboxGateway.layer())),
    Layer.provide(Layer.succeed(Sandbox.Sandbox, sandbox))
  )

/** The cardholders are drawn from the sandbox's seed. */
const cardholderOf = async (world: mortal.World): Promise<string> => {
  const { Cardholders, layer } = await import("@manilla/cards/Cardholders")
  const { exit } = await world.process(
    Effect.flatMap(Cardholders, ({ list }) => list()).pipe(
      Effect.provide(
        layer.pipe(
          Layer.provide(SandboxGateway.layer()),
          Layer.provide(Layer.succeed(Sandbox.Sandbox, world.sandbox))
        )
      )
    )
  )
  return exit !== undefined && Exit.isSuccess(exit) ? (exit.value.data[0]?.id ?? "") : ""
}
let cardholder: string | undefined

/** Dies once, goes on once; gives what is wrong afterwards. */
export const trial = async (
  { effects, moves, operation, path, run }: Operation,
  faults: ReadonlyArray<Fault.Fault>,
  death: mortal.Death
) => {
  const world = await mortal.make()
  const { look, sandbox } = world
  cardholder ??= await cardholderOf(await mortal.make())
  const [wallet] = await look(sandbox.wallets)
  if (wallet === undefined) throw new Error("there is no wallet")
  await look(sandbox.faults.add(...faults))
  const program = Effect.provide(run(wallet, cardholder), services(sandbox))
  let isTold = false
  const telling = run(wallet, cardholder).pipe(
    Effect.tap(() => Effect.sync(() => void (isTold = true))),
    Effect.provide(services(sandbox))
  )

  const first = await world.process(telling, death)
  const second = await world.process(program)
  await world.settle()

  const wrong: Array<string> = []
  const { made, moved: times } = await look(effects(sandbox))
  if (made.length !== 1) wrong.push(`${made.length} effects`)
  if (times !== moves) wrong.push(`money moved ${times} times`)
  const word =
    second.exit !== undefined && Exit.isSuccess(second.exit) ? second.exit.value : undefined
  if (word === undefined)
    wrong.push(`the second process ended with ${inspect(second.exit, { depth: 4 })}`)
  else if (word.name !== made[0]?.name || word.status !== made[0]?.status) {
    wrong.push(`its word is ${inspect(word)}, and there is ${inspect(made)}`)
  }
  const sent = (await look(sandbox.exchanges)).filter(
    (exchange) => exchange.operation === operation
  )
  const bytes = sent.map(
    ({ body, key }) => `${key} ${Buffer.from(Redacted.value(body)).toString("hex")}`
  )
  if (new Set(bytes).size !== 1) wrong.push(`${new Set(bytes).size} different requests`)
  if (sent.some((exchange) => exchange.key !== key)) wrong.push("another key")
  for (const { available, reserved } of await look(sandbox.wallets)) {
    if (available.startsWith("-") || !/^0(\.0*)?$/.test(reserved))
      wrong.push("a wallet below zero, or not settled")
  }

  const { exit } = first
  const writes = first.requests.filter((request) => request === `POST /api/v1${path}`).length
  const refused = sent.slice(0, writes).filter(({ outcome }) => outcome === 401).length
  /** Whether what the first process had sent was applied, and it never said a word of it. */
  const isSilent =
    exit !== undefined &&
    Exit.isInterrupted(exit) &&
    !isTold &&
    first.warnings.length === 0 &&
    writes > refused
  return {
    wrong,
    isSilent,
    steps: first.steps,
    hasEnded: exit !== undefined && Exit.isSuccess(exit),
    requests: first.requests
  }
}

/** The circumstances of a trial. */
export const scenarios = (operation: Fault.OperationName) =>
  ({
    "": [],
    ", with its first answer lost": [Fault.dropAfter({ operation })],
    ", with its token refused": [Fault.status(401, { operation })]
  }) as const
