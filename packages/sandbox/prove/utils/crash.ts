/**
 * Interruptions: each way to move money, in a process that is interrupted, and then in a process that repeats the
 * call with the same key.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import { assert, it } from "@effect/vitest"
import * as Cards from "@manilla/cards/Cards"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Payments from "@manilla/payments/Payments"
import type * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Clients from "@manilla/service/Clients"
import { cardFrom, collection, payoutFrom, walletIn } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import * as mortal from "./mortal.js"

const key = IdempotencyKey.derive("crash", "42")

const { operation: _, ...payment } = collection

/** The resource that a call reports. */
interface Reported {
  readonly name: string
  readonly status: string
}

/** Valid requests for the sandbox of a trial. */
interface Requests {
  readonly card: Cards.IssueRequest
  readonly payout: Payout.PayoutRequest
}

/** One method of a client that makes the write. */
interface Way {
  readonly name: string
  readonly run: (requests: Requests) => Effect.Effect<Reported, unknown, Clients.Clients>
  /** The resources at the service, and the number of money movements. */
  readonly effects: (
    sandbox: Sandbox.Service
  ) => Effect.Effect<{ readonly made: ReadonlyArray<Reported>; readonly moved: number }>
  /** The expected number of money movements. */
  readonly moves: number
  /** The minimum number of steps. Fewer steps would mean that the trial misses some. */
  readonly tasks: number
}

interface Operation extends Way {
  readonly operation: Keyed
}

type Keyed = ServiceApi.OperationName<RetryPolicy.Keyed>

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
 * The methods for each declared write with a key. The compiler reports a missing write. A write without
 * a key cannot continue after a crash.
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
      tasks: 40
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
      tasks: 40
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

const services = (
  sandbox: Sandbox.Service
): Layer.Layer<Clients.Clients, never, HttpClient.HttpClient> =>
  Clients.layer.pipe(
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

/** Runs the operation in a process that dies and in a second process, and returns the violations. */
const trial = async (
  { effects, moves, operation, run }: Operation,
  faults: ReadonlyArray<Fault.Fault>,
  death: mortal.Death
) => {
  const world = await mortal.make()
  const { look, sandbox } = world
  const requests = await look(Effect.provideService(requestsIn, Sandbox.Sandbox, sandbox))
  await look(Effect.forEach(faults, sandbox.faults.add))
  const program = run(requests)
  let hasReported = false
  const report = () => Effect.sync(() => void (hasReported = true))

  const first = await world.process(
    Effect.tapBoth(program, { onSuccess: report, onFailure: report }),
    services(sandbox),
    death
  )
  // A caller repeats a call whose outcome is unknown.
  const second = await world.process(Effect.retry(program, { times: 1 }), services(sandbox))
  await world.settle()

  const wrong: Array<string> = []
  const { made, moved: times } = await look(effects(sandbox))
  if (made.length !== 1) wrong.push(`${made.length} effects`)
  if (times !== moves) wrong.push(`money moved ${times} times`)
  const reported =
    second.exit !== undefined && Exit.isSuccess(second.exit) ? second.exit.value : undefined
  if (reported === undefined)
    wrong.push(`the second process ended with ${inspect(second.exit, { depth: 4 })}`)
  else if (reported.name !== made[0]?.name || reported.status !== made[0]?.status) {
    wrong.push(`reported ${inspect(reported)}, but there is ${inspect(made)}`)
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
      wrong.push("a negative wallet, or funds still reserved")
  }

  const { exit } = first
  const path = `${ServiceApi.root}${ServiceApi.operations.get(operation)?.path}`
  const writes = first.requests.filter((request) => request === `POST ${path}`).length
  const refused = sent.slice(0, writes).filter(({ outcome }) => outcome === 401).length
  /** Whether a warning names the key or the resource. */
  const isWarned = first.warnings.some((warning) =>
    [key, ...made.map(({ name }) => name)].some((name) => warning.includes(name))
  )
  /** Whether the first process was interrupted after a write that may be applied, without a warning. */
  const isSilent =
    exit !== undefined && Exit.isInterrupted(exit) && !hasReported && !isWarned && writes > refused
  return { wrong, isSilent, ...first }
}

const noResponse = ", with no response to its first call"

/** The fault scenarios of an operation. */
const scenarios = (operation: Fault.OperationName) =>
  ({
    "": [],
    ", with its first response lost": [Fault.dropAfter({ operation })],
    ", with its token rejected": [Fault.status(401, { operation })],
    // All attempts of a call lose their response: the call fails, although it was applied.
    [noResponse]: [Fault.dropAfter({ operation, count: 5 })]
  }) as const

/** Every n-th operation of a fiber is tested. */
const stride = Number(process.env["CRASH_STRIDE"] ?? 199)

/**
 * The maximum number of steps between the end of a write or a wait and the caller's next operation. An
 * interruption in this gap logs no warning, because the call has ended but its value is not read yet. It
 * only occurs if a fiber yields in the gap. Effect yields after 2,048 operations, so no task ends there.
 */
const gap = 16

/** Runs a trial for each step in a new world, until the program ends before it dies. */
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
    if (after > 100_000) throw new Error("the program does not end")
    if (after > to) return { count, wrong, silent, steps: to }
    const result = await trial(operation, faults, { ...death, after })
    wrong.push(...result.wrong.map((violation) => `after ${after}: ${violation}`))
    if (result.isSilent) silent.push(after)
    // A run that ends before its death satisfies the same checks, but does not count.
    if (!result.died) return { count, wrong, silent, steps: result.steps }
  }
}

const cases = operations.flatMap((operation) =>
  Object.entries(scenarios(operation.operation)).map(([scenario, faults]) => ({
    name: `${operation.name}${scenario}`,
    scenario,
    operation,
    faults
  }))
)

/** Tests all operations in all scenarios: a death at each task, and at a sample of operations. */
export const suite = (): void => {
  for (const { faults, name, operation } of cases) {
    it(`${name}, interrupted at each task, warns, and has one effect when the call is repeated`, async () => {
      const death = { step: "task" } as const
      const { count, silent, wrong } = await deaths(operation, faults, death, 0, 1)
      assert.deepStrictEqual(wrong, [])
      assert.deepStrictEqual(silent, [])
      assert.isAtLeast(count, operation.tasks)
    })

    it(`${name}, interrupted between operations, warns, and has one effect when the call is repeated`, async () => {
      const death = { step: "operation" } as const
      const { count, silent, wrong } = await deaths(operation, faults, death, 0, stride)
      assert.deepStrictEqual(wrong, [])
      assert.isAtMost(silent.length, Math.ceil((2 * gap) / stride), silent.join())
      assert.isAtLeast(count, Math.floor(700 / stride))
    }, 1_200_000)
  }
}

/** Tests the last operations of a success and of a failure, one by one. */
export const suiteOfEnds = (): void => {
  for (const { scenario, faults, name, operation } of cases) {
    if (scenario !== "" && scenario !== noResponse) continue
    it(`${name}, interrupted between any of its last operations, warns except in the step in which it ends`, async () => {
      const death = { step: "operation" } as const
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

/** Tests the operations between the creation and the first read, one by one. */
export const suiteOfCreations = (): void => {
  for (const { scenario, faults, name, operation } of cases) {
    if (scenario !== "" || operation.tasks < 40) continue
    it(`${name}, interrupted between any operations before its first read, warns`, async () => {
      const death = { step: "operation" } as const
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
