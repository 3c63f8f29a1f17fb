/**
 * An interruption at any task is reported, by the result or by a warning with the key or the id of the
 * write. A process that repeats the call with the same key finds one effect. `core/test/Interruption.test.ts`
 * interrupts a call at each operation of its fiber.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import { assert, it } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as Clients from "@manilla/service/Clients"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as writes from "@manilla/test-support/Writes"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import * as mortal from "./utils/mortal.js"

const key = IdempotencyKey.derive("crash", "42")

/** A method of a client that makes a write. */
interface Method {
  readonly name: string
  readonly operation: writes.Name
  readonly request: writes.Write["request"]
  readonly send: (
    request: object,
    key: IdempotencyKey.IdempotencyKey
  ) => Effect.Effect<object, unknown, Clients.Clients>
  /** Whether it waits for the end of what it makes. */
  readonly waits: boolean
  /** The minimum number of steps. Fewer steps would mean that the trial misses some. */
  readonly tasks: number
}

/** Those of each write with a key. A write without a key cannot continue after a crash. */
const methods: ReadonlyArray<Method> = writes
  .keyed()
  .flatMap(({ finish, name, request, send }) => [
    { name, operation: name, request, send, waits: false, tasks: 15 },
    ...(finish === undefined
      ? []
      : [{ ...finish, operation: name, request, waits: true, tasks: 40 }])
  ])

/** The resources with the key, and the number of money movements. */
const effectsIn = (sandbox: Sandbox.Service) =>
  Effect.gen(function* () {
    const { cards, payment_links, payouts, payments, refunds } = yield* sandbox.resources({ key })
    const { journal } = yield* sandbox.ledger
    const moved = journal.filter(({ description }) => description !== "opening balance")
    return { made: [payments, payouts, refunds, payment_links, cards].flat(), moves: moved.length }
  })

/** The names by which a caller finds a resource. */
const namesOf = (made: {
  readonly id?: string | undefined
  readonly reference?: string | undefined
}): ReadonlyArray<string> => [made.id, made.reference].filter((name) => name !== undefined)

const services = (
  sandbox: Sandbox.Service
): Layer.Layer<Clients.Clients, never, HttpClient.HttpClient> =>
  Clients.layer.pipe(
    Layer.provide(Layer.orDie(SandboxGateway.layer())),
    Layer.provide(Layer.succeed(Sandbox.Sandbox, sandbox))
  )

/** Runs the operation in a process that dies and in a second process, and returns the violations. */
const trial = async (
  { operation, request, send, waits }: Method,
  faults: ReadonlyArray<Fault.Fault>,
  dieAfter: number
) => {
  const world = await mortal.make()
  const { look, sandbox } = world
  const good = await world.process(
    Effect.provideService(request, Sandbox.Sandbox, sandbox),
    services(sandbox)
  )
  if (good.exit === undefined || Exit.isFailure(good.exit)) throw new Error("no request")
  await look(Effect.forEach(faults, sandbox.faults.add))
  const program = send(good.exit.value, key)
  let hasReported = false
  const report = () => Effect.sync(() => void (hasReported = true))

  const first = await world.process(
    Effect.tapBoth(program, { onSuccess: report, onFailure: report }),
    services(sandbox),
    dieAfter
  )
  // A caller repeats a call whose outcome is unknown.
  const second = await world.process(Effect.retry(program, { times: 1 }), services(sandbox))
  await world.settle()
  await look(sandbox.advance({ seconds: 3600 }))

  const wrong: Array<string> = []
  const { made, moves } = await look(effectsIn(sandbox))
  if (made.length !== 1) wrong.push(`${made.length} effects`)
  const end = second.exit
  if (end === undefined || Exit.isFailure(end)) {
    wrong.push(`the second process ended with ${inspect(end, { depth: 4 })}`)
  } else {
    const reported = "card" in end.value ? end.value.card : end.value
    const members = waits ? ["id", "reference", "status"] : ["id", "reference"]
    const shown = (of: unknown) => JSON.stringify(members.map((name) => Object(of)[name]))
    if (shown(reported) !== shown(made[0])) {
      wrong.push(`reported ${shown(reported)}, but there is ${shown(made[0])}`)
    }
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
  const refused = sent.slice(0, writes).filter(({ ending }) => ending === 401).length
  /** Whether a warning names the key or the resource. */
  const isWarned = first.warnings.some((warning) =>
    [key, ...made.flatMap(namesOf)].some((name) => warning.includes(name))
  )
  /** Whether the first process was interrupted after a write that may be applied, without a warning. */
  const isSilent =
    exit !== undefined && Exit.isInterrupted(exit) && !hasReported && !isWarned && writes > refused
  return { wrong, isSilent, moves, ...first }
}

/** The fault situations of an operation. */
const situations = (operation: Fault.OperationName) =>
  ({
    "": [],
    ", with its first response lost": [Fault.dropAfter({ operation })],
    ", with its token rejected": [Fault.status(401, { operation })],
    // All attempts of a call lose their response: the call fails, although it was applied.
    ", with no response to its first call": [Fault.dropAfter({ operation, count: 5 })]
  }) as const

/** Runs a trial for each task in a new world, until the program ends before it dies. */
const deaths = async (method: Method, faults: ReadonlyArray<Fault.Fault>) => {
  const wrong: Array<string> = []
  const silent: Array<number> = []
  const calm = await trial(method, [], Infinity)
  for (let after = 0; ; after++) {
    if (after > 10_000) throw new Error("the program does not end")
    const result = await trial(method, faults, after)
    const violate = (violation: string) => wrong.push(`after ${after}: ${violation}`)
    result.wrong.forEach(violate)
    if (result.moves !== calm.moves) {
      violate(`money moved ${result.moves} times, and ${calm.moves} without a fault`)
    }
    if (result.isSilent) silent.push(after)
    // A run that ends before its death satisfies the same checks, but does not count.
    if (!result.died) return { count: after, wrong, silent }
  }
}

for (const method of methods) {
  for (const [situation, faults] of Object.entries(situations(method.operation))) {
    it(`${method.name}${situation}, interrupted at each task, warns, and has one effect when the call is repeated`, async () => {
      const { count, silent, wrong } = await deaths(method, faults)
      assert.deepStrictEqual(wrong, [])
      assert.deepStrictEqual(silent, [])
      assert.isAtLeast(count, method.tasks)
    })
  }
}
