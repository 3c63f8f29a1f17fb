/** Workflows on the steps of another engine. */
import { assert, describe, it } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as Activity from "@effect/workflow/Activity"
import * as DurableClock from "@effect/workflow/DurableClock"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as CollectPayment from "@manilla/workflows/CollectPayment"
import * as Memory from "@manilla/workflow-engine/memory"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Durable from "@manilla/workflows/Durable"
import * as IssueCard from "@manilla/workflows/IssueCard"
import * as PaymentLinkWatch from "@manilla/workflows/PaymentLinkWatch"
import * as Policy from "@manilla/workflows/Policy"
import * as Steps from "@manilla/workflows/Steps"
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as journal from "./utils/journal.js"
import * as world from "./utils/world.js"

const test = VirtualClock.tests(Layer.empty)

const key = IdempotencyKey.make("order-42")
const operation = "Shop.pay"

const Shop = Workflow.make({
  name: "Shop/Pay/1",
  payload: { key: IdempotencyKey.IdempotencyKey },
  success: Schema.String,
  error: Durable.WriteError,
  idempotencyKey: ({ key }) => key
})

type Send = Effect.Effect<string, Errors.KeyedWriteError>

const refusal = new Errors.UnprocessableError({ operation, status: 422, message: "refused" })

const pay = (send: Send) =>
  Durable.write({ operation, key, success: Schema.String, idOf: (id) => id, send: () => send })

const policy = Policy.layer({
  carryOn: { initial: "1 second", factor: 2, deadline: "1 hour" },
  wait: { initial: "10 seconds", factor: 1.5, deadline: "1 day" }
})

/** The end of an execution in one life after another, of which each but the last dies. */
const ended = <W extends Workflow.Any>(
  workflow: W,
  payload: W["payloadSchema"]["Encoded"],
  lives: Iterable<journal.Options>,
  stored = journal.make()
) =>
  Effect.gen(function* () {
    for (const life of lives) {
      const end = yield* journal.live(stored, key, life, (steps) =>
        Effect.exit(Steps.execute(workflow, payload, steps))
      )
      if (end !== "died") return end
    }
    return yield* Effect.dieMessage("every life died")
  })

const on = <A, E, R, RIn>(
  effect: Effect.Effect<A, E, R>,
  workflows: Layer.Layer<never, never, RIn>
) =>
  Effect.gen(function* () {
    const live = Layer.provideMerge(Layer.provide(workflows, Layer.orDie(policy)), Steps.layer)
    // Virtual time passes while the test waits for the end.
    const fiber = yield* Effect.fork(Effect.provide(effect, live))
    while ((yield* Fiber.poll(fiber))._tag === "None") yield* VirtualClock.pass("1 minute")
    return yield* Fiber.join(fiber)
  })

type Body = Effect.Effect<
  string,
  typeof Durable.WriteError.Type,
  Durable.InExecution | Workflow.Execution<"Shop/Pay/1"> | Scope.Scope
>

/** The end of this body, in one life unless others are given. */
const endOf = (
  body: Body,
  {
    lives = [{}],
    payload = { key },
    stored
  }: {
    readonly lives?: ReadonlyArray<journal.Options>
    readonly payload?: { readonly key: string }
    readonly stored?: ReturnType<typeof journal.make>
  } = {}
) =>
  on(
    ended(Shop, payload, lives, stored),
    Shop.toLayer(() => body)
  )

const text = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "a success"

const outcomeOf = (exit: Exit.Exit<unknown, unknown>) => {
  if (Exit.isSuccess(exit)) return "applied"
  const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
  return Schema.is(Errors.KeyedWriteError)(error) ? Errors.outcome(error) : "a defect"
}

describe("a journal that dies", () => {
  /** The services, each with what it answers to request number n, and whether it applies that. */
  const services = {
    "that pays at once": () => "pays",
    "that pays, and refuses the next requests": (n: number) =>
      n === 1 || n > 4 ? "pays" : "refuses",
    "whose first answer is lost, and that refuses the next requests": (n: number) =>
      n === 1 ? "loses" : n < 5 ? "refuses" : "pays",
    "that refuses": () => "refuses"
  } as const

  /** Every boundary that a life of this payment has, one life each; then a life that ends. */
  const lives = {
    "at one boundary": (boundary: number) => [{ dieAt: boundary }, {}],
    "again and again at the same boundary": (boundary: number) => [
      ...Array.from({ length: 5 }, () => ({ dieAt: boundary })),
      {}
    ],
    "at each boundary up to this one": (boundary: number) => [
      ...Array.from({ length: boundary }, (_, i) => ({ dieAt: i + 1 })),
      {}
    ],
    "at one boundary, and the engine runs each step twice": (boundary: number) => [
      { dieAt: boundary, isRepeating: true },
      { isRepeating: true }
    ]
  } as const

  /** Pays in so many lives. */
  const paid = (answerOf: (n: number) => string, lives: ReadonlyArray<journal.Options>) =>
    Effect.gen(function* () {
      let requests = 0
      let payments = 0
      const send = Effect.suspend((): Send => {
        const answer = answerOf(++requests)
        if (answer === "refuses") return Effect.fail(refusal)
        payments = 1
        if (answer === "pays") return Effect.succeed("pay-1")
        const cause = new Errors.TransportError({ operation, message: "lost", sent: true })
        const message = "no response"
        return Effect.fail(new Errors.OutcomeUnknown({ operation, message, key, cause }))
      })
      const stored = journal.make()
      const end = yield* endOf(pay(send), { lives, stored })
      return { end, payments, requests, boundaries: 3 * stored.names().length }
    })

  for (const [which, answerOf] of Object.entries(services)) {
    for (const [how, livesOf] of Object.entries(lives)) {
      test(`${how} pays once with a service ${which}`, function* () {
        const { boundaries } = yield* paid(answerOf, [{}])
        assert.isAbove(boundaries, 5)
        for (let boundary = 1; boundary <= boundaries; boundary++) {
          const { end, payments, requests } = yield* paid(answerOf, livesOf(boundary))
          const where = `boundary ${boundary}, ${requests} requests: ${text(end)}`
          const outcome = outcomeOf(end)
          const isRefused = which === "that refuses"
          assert.include(isRefused ? ["notApplied", "unknown"] : ["applied"], outcome, where)
          assert.strictEqual(payments, isRefused ? 0 : 1, where)
        }
      })
    }
  }

  test("a 422 in the life after a lost answer stays unknown", function* () {
    let requests = 0
    const send = Effect.suspend((): Send =>
      ++requests === 1 ? Effect.succeed("pay-1") : Effect.fail(refusal)
    )
    const stored = journal.make()
    // After `begin`, which has three boundaries: the request, and its end before the answer is stored.
    const end = yield* endOf(pay(send), { lives: [{ dieAt: 5 }, {}], stored })
    assert.strictEqual(stored.names()[0], "begin/Shop.pay/0/1")
    assert.isAbove(requests, 2)
    assert.include(text(end), "OutcomeUnknown")
  })
})

for (const [when, twice] of [
  ["before", false],
  ["in the same millisecond", true]
] as const) {
  test(`a refusal does not count if another life has begun ${when}`, function* () {
    const begun = JSON.stringify({ _tag: "Success", value: { atMillis: 1 } })
    const steps: Steps.Steps = {
      id: key,
      run: async (name, step) => {
        if (!name.startsWith("begin")) return step()
        const other = twice ? await step() : begun
        await step()
        return other
      },
      sleep: () => Promise.resolve()
    }
    const end = yield* on(
      Effect.exit(Steps.execute(Shop, { key }, steps)),
      Shop.toLayer(() => pay(Effect.fail(refusal)))
    )
    assert.strictEqual(outcomeOf(end), "unknown", text(end))
  })
}

describe("a block is undone once, whatever boundary the journal dies at, by", () => {
  const done: Array<string> = []
  const write = (name: string, send: Send) =>
    Durable.write({
      operation: name,
      key: IdempotencyKey.derive(key, name),
      success: Schema.String,
      idOf: (id) => id,
      send: () => send
    })
  const noted = (name: string) =>
    write(
      name,
      Effect.sync(() => `${name}-${done.push(name)}`)
    )
  const paid = noted("pay")
  const refund = () => Effect.orDie(noted("refund"))
  const delivered = write("deliver", Effect.fail(refusal))
  for (const [how, body, isKnown] of [
    [
      "`Durable.compensating`",
      Durable.compensating(Effect.zipRight(Durable.compensate(paid, refund), delivered)),
      false
    ],
    ["`withCompensation`", Effect.zipRight(Shop.withCompensation(paid, refund), delivered), true]
  ] as const) {
    test(how, function* () {
      for (let boundary = 1; boundary <= 21; boundary++) {
        done.length = 0
        const end = yield* endOf(body, { lives: [{ dieAt: boundary }, {}] })
        const where = `${boundary}: ${text(end)}`
        // The delivery is in doubt if the journal died while it was sent, and nothing is undone then.
        const isUndone = outcomeOf(end) === "notApplied"
        const expected = isUndone || isKnown ? ["pay", "refund"] : ["pay"]
        assert.deepStrictEqual([...new Set(done)], expected, where)
        assert.strictEqual(isUndone, boundary < 9 || boundary > 11, where)
      }
    })
  }
})

VirtualClock.tests(world.services({ settleAfter: "5 minutes" }))(
  "a payout is made once, whatever dies and is lost",
  function* () {
    const { faults, payouts } = yield* Sandbox.Sandbox
    const request = yield* world.payout
    const stored = journal.make()
    let lives = 0
    const dying = function* () {
      for (let boundary = 1; boundary < 40; boundary++) {
        lives++
        yield { dieAt: boundary }
      }
      yield {}
    }
    yield* faults.add(Fault.dropAfter({ operation: "Payouts.create", count: 2 }))
    const end = yield* on(
      ended(DisbursePayout.workflow, { key, ...request }, dying(), stored),
      DisbursePayout.layer
    )
    assert.deepInclude(end, { _tag: "Success" }, text(end))
    assert.isAbove(lives, 6)
    assert.lengthOf(yield* payouts, 1)
    assert.deepStrictEqual([...new Set(yield* world.keysOf("Payouts.create"))], [key])
  }
)

describe("the id of an execution is that of Effect", () => {
  const workflows: ReadonlyArray<Workflow.Any> = [
    CollectPayment.workflow,
    DisbursePayout.workflow,
    IssueCard.workflow,
    PaymentLinkWatch.workflow
  ]
  it.effect.each(workflows)("of $name", (workflow) =>
    Effect.gen(function* () {
      const payloads = Arbitrary.make(
        Schema.make<{ readonly key: string }>(workflow.payloadSchema.ast)
      )
      for (const payload of FastCheck.sample(payloads, { numRuns: 5, seed: 1 })) {
        const id = Execution.idOf(workflow.name, payload.key)
        assert.strictEqual(id, yield* workflow.executionId(payload))
      }
    })
  )

  test("also if two tenants have one key", function* () {
    const Tenants = Workflow.make({
      name: "Shop/Tenants/1",
      payload: { key: IdempotencyKey.IdempotencyKey, tenant: Schema.String },
      success: Schema.String,
      idempotencyKey: ({ key, tenant }) => `${tenant}/${key}`
    })
    const ids = Tenants.toLayer((_, executionId) => Effect.succeed(executionId))
    for (const tenant of ["a", "b"]) {
      const payload = { key, tenant }
      const end = yield* on(ended(Tenants, payload, [{}]), ids)
      assert.deepStrictEqual(end, Exit.succeed(yield* Tenants.executionId(payload)))
    }
  })
})

describe("before anything is sent, it refuses", () => {
  let requests = 0
  const send = Effect.sync(() => `pay-${++requests}`)
  const Other = Workflow.make({
    name: "Shop/Other/1",
    payload: { key: Schema.String },
    idempotencyKey: ({ key }) => key
  })
  const signal = DurableDeferred.make("approval", { success: Schema.Void })
  const activity = (name: string) => Activity.make({ name, execute: Effect.asVoid(send) })
  const first = Durable.write({
    operation: "Shop.first",
    key: IdempotencyKey.make("first"),
    success: Schema.String,
    idOf: (id) => id,
    send: () => send
  })

  type InBody = Effect.Effect<unknown, never, Durable.InExecution>
  const bodies: Record<string, readonly [InBody, string]> = {
    "a signal": [DurableDeferred.await(signal), 'waits for "approval"'],
    "the end of another execution": [Other.execute({ key: "a" }), "executes Shop/Other/1"],
    "the start of another execution": [
      Other.execute({ key: "a" }, { discard: true }),
      "executes Shop/Other/1"
    ],
    "a race": [Activity.raceAll("race", [activity("a"), activity("b")]), "a race"],
    "an interrupt of another execution": [Other.interrupt("id"), "is interrupted"],
    "a poll of another execution": [Other.poll("id"), "is polled"],
    "a pause in a step": [
      Activity.make({
        name: "step",
        execute: DurableClock.sleep({ name: "pause", duration: "1 hour" })
      }),
      '"pause" is in a step'
    ],
    "a step in a step": [
      Activity.make({ name: "step", execute: activity("within") }),
      '"within/1" is in a step'
    ],
    "activities beside each other": [
      Effect.all([activity("a"), activity("b")], { concurrency: "unbounded" }),
      '"a/1" runs beside something else'
    ],
    "a write in a race": [
      Effect.orDie(Effect.race(first, Effect.never)),
      '"begin/Shop.first/0/1" runs beside something else'
    ],
    "a write in a timeout": [
      Effect.ignore(Effect.timeout(first, "1 minute")),
      '"begin/Shop.first/0/1" runs beside something else'
    ],
    "a pause in a fiber": [
      Effect.fork(Durable.sleep("an hour", "1 hour")),
      '"sleep/an hour" runs beside something else'
    ],
    "a write in a fiber whose failure is ignored": [
      Effect.zipRight(Effect.fork(first), Effect.ignore(Durable.sleep("an hour", "1 hour"))),
      '"begin/Shop.first/0/1" runs beside something else'
    ]
  }
  for (const [what, [body, sentence]] of Object.entries(bodies)) {
    test(what, function* () {
      const end = yield* endOf(Effect.zipRight(body, pay(send)))
      assert.include(text(end), sentence)
      assert.strictEqual(requests, 0)
    })
  }

  test("a name that an earlier step has", function* () {
    const twice = Effect.zipRight(Activity.make({ name: "a", execute: Effect.void }), activity("a"))
    const end = yield* endOf(Effect.as(twice, ""))
    assert.include(text(end), 'two steps have the name "a/1"')
    assert.strictEqual(requests, 0)
  })

  for (const [what, payload, sentence] of [
    ["a payload that breaks a rule", { key: "" }, "key"],
    ["a key that is not the id of the execution", { key: "order-43" }, "must be the id of the"],
    ["no payload", undefined, "nothing was started"]
  ] as const) {
    test(what, function* () {
      // As from JSON.
      const given: { key: string } = JSON.parse(JSON.stringify(payload ?? null))
      const end = yield* endOf(pay(send), { payload: given })
      assert.include(text(end), sentence)
      assert.strictEqual(requests, 0)
    })
  }

  Test.over(Steps.layer).effect(
    "an execution that the engine beneath has not started",
    function* () {
      const exit = yield* Effect.exit(Shop.execute({ key }))
      assert.include(text(exit), "Ask the engine beneath")
    }
  )
})

test("a result that the engine beneath cannot store is a defect", function* () {
  let calls = 0
  const step = Durable.step({
    name: "read",
    success: Schema.String,
    error: Schema.Never,
    // 600 characters of two bytes.
    execute: Effect.sync(() => `${++calls}${"é".repeat(600)}`)
  })
  const lives = [{ maxBytes: 1_000, dieAt: 3 }, { maxBytes: 1_000 }]
  const end = yield* endOf(step, { lives })
  assert.include(text(end), "bytes as JSON, and the engine stores at most 1000")
  assert.strictEqual(calls, 1)
})

describe("a name of 600 characters is not too long for any step or pause that is made of it", () => {
  const body = (look: () => boolean) => {
    const name = (last: string) => `${"n".repeat(599)}${last}`
    const operation = name("w")
    const cause = new Errors.TransportError({ operation, message: "lost", sent: true })
    const lost = new Errors.OutcomeUnknown({ operation, message: "lost", key, cause })
    return Effect.gen(function* () {
      yield* Durable.sleep(name("s"), "1 second")
      yield* Durable.pollUntil({
        name: name("p"),
        success: Schema.Boolean,
        failure: Schema.Never,
        look: () => Effect.sync(() => Option.liftPredicate(look(), identity)),
        expired: () => lost
      })
      return yield* Durable.write({
        operation,
        key,
        success: Schema.String,
        idOf: (id) => id,
        send: () =>
          Effect.filterOrFail(Effect.sync(look), identity, () => lost).pipe(Effect.as("pay-1"))
      })
    })
  }
  const shop = Effect.sync(() => {
    let looks = 0
    return Shop.toLayer(() => body(() => ++looks % 2 === 0))
  })
  test("on `Steps`", function* () {
    const end = yield* on(ended(Shop, { key }, [{}]), yield* shop)
    assert.deepStrictEqual(end, Exit.succeed("pay-1"))
  })
  test("on our engine", function* () {
    const live = Layer.provideMerge(
      Layer.provide(yield* shop, Layer.orDie(policy)),
      Memory.layerMemory
    )
    const fiber = yield* Effect.fork(Effect.provide(Shop.execute({ key }), live))
    yield* VirtualClock.pass("10 minutes")
    assert.strictEqual(yield* Fiber.join(fiber), "pay-1")
  })
})

describe("an interrupt is the end of a body, if", () => {
  const interrupted = Effect.flatMap(Effect.fork(Effect.never), (fiber) =>
    Effect.zipRight(Fiber.interrupt(fiber), Fiber.join(fiber))
  )
  for (const [what, body] of [
    ["it interrupts itself", Effect.interrupt],
    ["it joins a fiber that was interrupted", interrupted]
  ] satisfies ReadonlyArray<readonly [string, Effect.Effect<void, never, Durable.InExecution>]>) {
    test(what, function* () {
      const end = yield* endOf(Effect.zipRight(body, pay(Effect.succeed("pay-1"))))
      assert.isTrue(Exit.isInterrupted(end), text(end))
    })
  }
})

test("a stored result that this version cannot read ends the life, not the body", function* () {
  const stored = journal.make()
  stored.stored.set("begin/Shop.pay/0/1", "{}")
  let undone = 0
  const body = pay(Effect.succeed("pay-1")).pipe(
    Effect.catchAllCause(() => Effect.sync(() => `${++undone}`))
  )
  const end = yield* endOf(body, { stored })
  assert.include(text(end), "give the changed workflow a new name")
  assert.strictEqual(undone, 0)
})

describe("an engine beneath that ends a life", () => {
  class Cancelled extends Error {}

  const runnerOf = (workflows: Parameters<typeof on>[1], workflow = Shop) =>
    Effect.gen(function* () {
      const live = Layer.provideMerge(workflows as Layer.Layer<never>, Steps.layer)
      const runtime = ManagedRuntime.make(live)
      yield* Effect.addFinalizer(() => runtime.disposeEffect)
      return Steps.runner(workflow, runtime)
    })
  /** The value with which a promise is rejected. */
  const thrownBy = (life: () => Promise<unknown>) =>
    Effect.promise(() => life().catch((it: unknown) => it))
  const steps = {
    id: key,
    run: (_: string, step: () => Promise<string>) => step(),
    sleep: () => Promise.resolve()
  }

  Test.effect("gets its own error, and nothing is undone or sent after it", function* () {
    const done: Array<string> = []
    const note = (what: string) => Effect.sync(() => void done.push(what))
    const shop = Shop.toLayer(() =>
      Effect.gen(function* () {
        yield* Shop.withCompensation(note("reserve"), () => note("undo"))
        yield* Effect.ignore(Effect.sandbox(pay(Effect.succeed("pay-1"))))
        yield* note("go on")
        return yield* pay(Effect.as(note("pay"), "pay-2"))
      })
    )
    const error = new Cancelled("cancelled")
    const run = yield* runnerOf(shop)
    const thrown = yield* thrownBy(() =>
      run({ key }, { ...steps, run: () => Promise.reject(error) })
    )
    assert.strictEqual(thrown, error)
    assert.deepStrictEqual(done, ["reserve"])
  })

  Test.effect("is asked nothing more, although the body catches that", function* () {
    const asked: Array<string> = []
    const body = Effect.zipRight(
      Effect.catchAllCause(Durable.sleep("a day", "1 day"), () => Effect.void),
      pay(Effect.succeed("pay-1"))
    )
    const run = yield* runnerOf(Shop.toLayer(() => Effect.uninterruptible(body)))
    const error = new Cancelled("cancelled")
    const ends: Steps.Steps = {
      id: key,
      run: (name, step) => {
        asked.push(name)
        return step()
      },
      sleep: () => Promise.reject(error)
    }
    const thrown = yield* thrownBy(() => run({ key }, ends))
    assert.strictEqual(thrown, error)
    assert.deepStrictEqual(asked, [])
  })

  const refund = Effect.orDie(
    Durable.write({
      operation: "Shop.refund",
      key: IdempotencyKey.make("refund"),
      success: Schema.String,
      idOf: (id) => id,
      send: () => Effect.sync(() => `refund-${done.push("refund")}`)
    })
  )
  const done: Array<string> = []
  const note = (what: string) => Effect.sync(() => void done.push(what))
  for (const [how, part] of [
    ["`withCompensation`", Shop.withCompensation(note("reserve"), () => note("undo"))],
    ["a finalizer", Effect.acquireRelease(note("reserve"), () => refund)]
  ] as const) {
    Test.effect(`undoes nothing by ${how}, and neither does a shutdown`, function* () {
      done.length = 0
      const sleeps = yield* Deferred.make<void>()
      const shop = Shop.toLayer(() =>
        Effect.gen(function* () {
          yield* part
          yield* Durable.sleep("a day", "1 day")
          return yield* pay(Effect.as(note("pay"), "pay-1"))
        }).pipe(Effect.scoped)
      )
      const sleep = () =>
        Effect.runPromise(Effect.zipRight(Deferred.succeed(sleeps, undefined), Effect.never))
      const life = yield* Steps.execute(Shop, { key }, { ...steps, sleep }).pipe(
        Effect.provide(Layer.provideMerge(shop, Steps.layer)),
        Effect.fork
      )
      yield* Deferred.await(sleeps)
      yield* Fiber.interrupt(life)
      assert.deepStrictEqual(done, ["reserve"])
    })
  }

  for (const [how, annotated, expected] of [
    ["may suspend on a failure", Shop.annotate(Workflow.SuspendOnFailure, true), ["reserve"]],
    [
      "may not end with a defect",
      Shop.annotate(Workflow.CaptureDefects, false),
      ["reserve", "undo"]
    ]
  ] as const) {
    Test.effect(`gets the defect of a workflow that ${how}`, function* () {
      const reserve = annotated.withCompensation(note("reserve"), () => note("undo"))
      const body = Effect.zipRight(reserve, Effect.die(new Cancelled("a bug")))
      done.length = 0
      const layer = annotated.toLayer(() => body)
      const run = yield* runnerOf(layer, annotated)
      const thrown = yield* thrownBy(() => run({ key }, steps))
      assert.instanceOf(thrown, Cancelled)
      assert.deepStrictEqual(done, [...expected])
    })
  }

  Test.effect("runs the finalizers of a body when it ends, not when its layer does", function* () {
    done.length = 0
    const shop = Shop.toLayer(() =>
      Effect.as(
        Effect.addFinalizer(() => note("release")),
        "paid"
      )
    )
    const run = yield* runnerOf(shop)
    yield* Effect.promise(() => run({ key }, steps))
    assert.deepStrictEqual(done, ["release"])
  })

  Test.effect("gets the end of a workflow as a value, not as an error", function* () {
    const run = yield* runnerOf(Shop.toLayer(() => pay(Effect.fail(refusal))))
    const end = yield* Effect.promise(() => run({ key }, steps))
    const json = JSON.stringify(end)
    assert.include(json, '"_tag":"Failure"')
    const error = yield* Effect.flip(Steps.endOf(Shop, JSON.parse(json)))
    assert.deepStrictEqual(error, refusal)
  })

  Test.effect("hears of a workflow without a layer", function* () {
    const run = yield* runnerOf(DisbursePayout.layer)
    const thrown = yield* thrownBy(() => run({ key }, steps))
    assert.include(String(thrown), "no process can run it without its layer")
  })
})

Test.effect("two layers of one workflow are refused", function* () {
  const shop = (result: string) => Shop.toLayer(() => Effect.succeed(result))
  const both = Layer.mergeAll(shop("a"), shop("b")).pipe(Layer.provideMerge(Steps.layer))
  assert.include(text(yield* Effect.exit(Layer.build(both))), "two workflows have the name")
})

Test.effect("a body uses the services of its layer, not those of whoever runs it", function* () {
  class Account extends Context.Tag("Account")<Account, string>() {}
  const shop = Shop.toLayer(() => Account).pipe(Layer.provide(Layer.succeed(Account, "own")))
  const end = yield* ended(Shop, { key }, [{}]).pipe(
    Effect.provide(Layer.provideMerge(shop, Steps.layer)),
    Effect.provideService(Account, "another")
  )
  assert.deepStrictEqual(end, Exit.succeed("own"))
})
