/**
 * What is done in the trials of crashes: each way to move money, in a process that dies and in one
 * that goes on with the same key.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import { assert, it } from "@effect/vitest"
import * as Cards from "@manilla/cards/Cards"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Core from "@manilla/core/Operation"
import * as Payments from "@manilla/payments/Payments"
import type * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as ServiceApi from "@manilla/sandbox/ServiceApi"
import type { Clients } from "@manilla/test-support/Sandboxed"
import {
  cardFrom,
  clients,
  collection,
  payoutFrom,
  walletIn
} from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import * as mortal from "./mortal.js"

const key = IdempotencyKey.derive("crash", "42")

const { operation: _, ...payment } = collection

/** What a word says of the resource that it is about. */
interface Word {
  readonly name: string
  readonly status: string
}

/** Good requests, for a sandbox of its own. */
interface Requests {
  readonly card: Cards.IssueRequest
  readonly payout: Payout.PayoutRequest
}

/** A way to call for a write, and to wait for what it makes. */
interface Way {
  readonly name: string
  readonly run: (requests: Requests) => Effect.Effect<Word, unknown, Clients>
  /** What there is of it at the service, and how often its money has moved. */
  readonly effects: (
    sandbox: Sandbox.Service
  ) => Effect.Effect<{ readonly made: ReadonlyArray<Word>; readonly moved: number }>
  /** How often money moves for one of it. */
  readonly moves: number
  /** How many tasks and waits it has at least, whatever goes wrong: fewer would leave some untried. */
  readonly tasks: number
}

interface Operation extends Way {
  readonly operation: Keyed
}

type Keyed = ServiceApi.OperationName<Core.Keyed>

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

/**
 * Each declared write that has a key to go on with: the compiler names the one that is missing. A write
 * without a key cannot go on after a crash.
 */
const ways: Readonly<Record<Keyed, readonly [Way, ...ReadonlyArray<Way>]>> = {
  "Payments.create": [
    {
      name: "Payments.create",
      run: () =>
        Effect.flatMap(Payments.Payments, (service) =>
          Effect.map(service.create(collection, { key }), ({ id, status }) => ({
            name: id,
            status
          }))
        ),
      effects: payments,
      moves: 0,
      tasks: 15
    },
    {
      name: "Payments.collect",
      run: () =>
        Effect.flatMap(Payments.Payments, (service) =>
          Effect.map(service.collect(payment, { key }), ({ id, status }) => ({ name: id, status }))
        ),
      effects: payments,
      moves: 1,
      tasks: 50
    }
  ],
  "Payouts.create": [
    {
      name: "Payouts.disburse",
      run: ({ payout }) =>
        Effect.flatMap(Payouts.Payouts, (service) =>
          Effect.map(service.disburse(payout, { key }), ({ reference, status }) => ({
            name: reference,
            status
          }))
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
      moves: 2,
      tasks: 50
    }
  ],
  "Cards.issue": [
    {
      name: "Cards.issue",
      run: ({ card }) =>
        Effect.flatMap(Cards.Cards, (service) =>
          Effect.map(service.issue(card, { key }), ({ reservation }) => ({
            name: reservation?.reference ?? "none",
            status: reservation?.status ?? "none"
          }))
        ),
      effects: (sandbox) =>
        Effect.map(sandbox.ledger, ({ journal }) => {
          const issued = journal.filter(({ description }) => description === "card issued")
          return {
            made: issued.map(({ reference }) => ({ name: reference, status: "CAPTURED" })),
            moved: issued.length
          }
        }),
      moves: 1,
      tasks: 15
    }
  ]
}

const operations: ReadonlyArray<Operation> = Record.toEntries(ways).flatMap(([operation, all]) =>
  all.map((way) => ({ ...way, operation }))
)

const services = (sandbox: Sandbox.Service): Layer.Layer<Clients, never, HttpClient.HttpClient> =>
  clients.pipe(
    Layer.provide(Layer.orDie(SandboxGateway.layer())),
    Layer.provide(Layer.succeed(Sandbox.Sandbox, sandbox))
  )

const requestsIn = Effect.gen(function* () {
  const requests: Requests = {
    card: yield* cardFrom(),
    payout: payoutFrom(yield* walletIn("XOF"))
  }
  return requests
})

/** Dies once, goes on once; gives what is wrong afterwards. */
const trial = async (
  { effects, moves, operation, run }: Operation,
  faults: ReadonlyArray<Fault.Fault>,
  death: mortal.Death
) => {
  const world = await mortal.make()
  const { look, sandbox } = world
  const requests = await look(Effect.provideService(requestsIn, Sandbox.Sandbox, sandbox))
  await look(sandbox.faults.add(...faults))
  const program = run(requests)
  let isTold = false
  const tell = () => Effect.sync(() => void (isTold = true))

  const first = await world.process(
    Effect.tapBoth(program, { onSuccess: tell, onFailure: tell }),
    services(sandbox),
    death
  )
  // A caller that is told of a doubt asks again.
  const second = await world.process(Effect.retry(program, { times: 1 }), services(sandbox))
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
  const path = `${ServiceApi.root}${ServiceApi.operations.get(operation)?.path}`
  const writes = first.requests.filter((request) => request === `POST ${path}`).length
  const refused = sent.slice(0, writes).filter(({ outcome }) => outcome === 401).length
  /** Whether it says under which key, or as which resource, the write goes on. */
  const isWarned = first.warnings.some((warning) =>
    [key, ...made.map(({ name }) => name)].some((name) => warning.includes(name))
  )
  /** Whether what the first process had sent was or may have been applied, and it said nothing. */
  const isSilent =
    exit !== undefined && Exit.isInterrupted(exit) && !isTold && !isWarned && writes > refused
  return { wrong, isSilent, ...first }
}

const unanswered = ", with no answer to its first call"

/** The circumstances of a trial. */
const scenarios = (operation: Fault.OperationName) =>
  ({
    "": [],
    ", with its first answer lost": [Fault.dropAfter({ operation })],
    ", with its token refused": [Fault.status(401, { operation })],
    // As many as a call has attempts: it fails, and it was applied.
    [unanswered]: [Fault.dropAfter({ operation, times: 5 })]
  }) as const

/** Of all operations of the fibers, every how many-th is tried. */
const stride = Number(process.env["CRASH_STRIDE"] ?? 199)

/**
 * How many steps there are at most between the end of a write, or of a wait, and its caller's next
 * operation. An interruption in one of them finds nobody to warn: the call is over, and its value not
 * read yet. It takes a fiber that gives way just there, and by itself a fiber does so after 2,048
 * operations only, so that no task ends there.
 */
const gap = 16

/** Dies at each of these steps, each time in a world of its own, until it comes to its end first. */
const deaths = async (
  operation: Operation,
  faults: ReadonlyArray<Fault.Fault>,
  death: Omit<mortal.Death, "after">,
  from: number,
  by: number,
  to = Infinity
) => {
  const wrong: Array<string> = []
  const silent: Array<number> = []
  for (let count = 0; ; count++) {
    const after = from + count * by
    if (after > 100_000) throw new Error("it never ends")
    if (after > to) return { count, wrong, silent, steps: to }
    const result = await trial(operation, faults, { ...death, after })
    wrong.push(...result.wrong.map((what) => `after ${after}: ${what}`))
    if (result.isSilent) silent.push(after)
    // An undisturbed run, which is held to the same, and is no death.
    if (!result.died) return { count, wrong, silent, steps: result.steps }
  }
}

const cases = operations.flatMap((operation) =>
  Object.entries(scenarios(operation.operation)).map(([circumstances, faults]) => ({
    name: `${operation.name}${circumstances}`,
    circumstances,
    operation,
    faults
  }))
)

/** All ways to move money, in all circumstances: a death at each task, and at a sample of operations. */
export const suite = (how: mortal.Death["how"], title: string): void => {
  for (const { faults, name, operation } of cases) {
    it(`${name}, ${how} at each task, ${title}`, async () => {
      const death = { how, step: "task" } as const
      const { count, silent, wrong } = await deaths(operation, faults, death, 0, 1)
      assert.deepStrictEqual(wrong, [])
      assert.deepStrictEqual(silent, [])
      assert.isAtLeast(count, operation.tasks)
    })

    it(`${name}, ${how} between operations, ${title}`, async () => {
      const death = { how, step: "operation" } as const
      const { count, silent, wrong } = await deaths(operation, faults, death, 0, stride)
      assert.deepStrictEqual(wrong, [])
      assert.isAtMost(silent.length, Math.ceil((2 * gap) / stride), silent.join())
      assert.isAtLeast(count, Math.floor(700 / stride))
    }, 1_200_000)
  }
}

/** The last operations of a success and of a failure, one after the other. */
export const suiteOfEnds = (): void => {
  for (const { circumstances, faults, name, operation } of cases) {
    if (circumstances !== "" && circumstances !== unanswered) continue
    it(`${name}, interrupted between any of its last operations, is told but for the very step in which it ends`, async () => {
      const death = { how: "interrupted", step: "operation" } as const
      const whole = await trial(operation, faults, { ...death, after: Infinity })
      const { silent, wrong } = await deaths(operation, faults, death, whole.steps - 3 * gap, 1)
      assert.deepStrictEqual(wrong, [])
      assert.deepStrictEqual(
        silent.filter((after) => after < whole.steps - gap),
        []
      )
    })
  }
}

/** The last operations before the first read of what was created: it is answered, and ends. */
export const suiteOfCreations = (): void => {
  for (const { circumstances, faults, name, operation } of cases) {
    if (circumstances !== "" || operation.tasks < 50) continue
    it(`${name}, interrupted between any operations before its first read, is told`, async () => {
      const death = { how: "interrupted", step: "operation" } as const
      const { departures } = await trial(operation, faults, { ...death, after: Infinity })
      const [, created = 0, read = 0] = departures
      const from = Math.max(created, read - 150)
      const { count, silent, wrong } = await deaths(operation, faults, death, from, 1, read)
      assert.isAtLeast(count, 100)
      assert.deepStrictEqual(wrong, [])
      assert.deepStrictEqual(silent, [])
    })
  }
}
