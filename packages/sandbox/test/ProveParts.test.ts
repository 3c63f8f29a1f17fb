/**
 * The parts of a proof, each alone: what its judge finds, which runs it makes, where its faults happen, and what its
 * report says.
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { assert, describe, it } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import type { Exchange } from "../src/Exchange.js"
import { Incoming, Interceptor } from "../src/internal/http/incoming.js"
import type { Intercept } from "../src/internal/http/incoming.js"
import * as faults from "../src/internal/prove/faults.js"
import * as judge from "../src/internal/prove/judge.js"
import * as plan from "../src/internal/prove/plan.js"
import * as report from "../src/internal/prove/report.js"
import * as times from "../src/internal/prove/time.js"
import { Problem, trial } from "../src/internal/prove/trial.js"
import type { Trial, World } from "../src/internal/prove/trial.js"
import type * as Sandbox from "../src/Sandbox.js"

const create = "Payments.create"

const exchange = (changes: Partial<Exchange> & { readonly sent?: object } = {}): Exchange => ({
  index: 0,
  operation: create,
  method: "POST",
  path: "/api/v1/payments",
  key: "A",
  correlationId: "",
  body: Redacted.make(new TextEncoder().encode(JSON.stringify(changes.sent ?? { amount: "1" }))),
  ending: 201,
  response: undefined,
  replay: false,
  fault: undefined,
  warnings: [],
  atMillis: 0,
  tookMillis: 1,
  ...changes
})

type Movement = judge.Books["movements"][number]

const movement = (changes: Partial<Movement> = {}): Movement => ({
  kind: "payment",
  name: "PAY-1",
  key: "A",
  money: "1 XOF",
  hasMoved: true,
  isPending: false,
  ...changes
})

const open = movement({ hasMoved: false })

const books = (movements: ReadonlyArray<Movement>, ...exchanges: ReadonlyArray<Exchange>) => ({
  movements: [...movements],
  exchanges
})

const calm = judge.calmOf(books([movement()], exchange()))
const twoOrders = judge.calmOf(
  books(
    [movement(), movement({ key: "B" })],
    exchange({ sent: { amount: "1" } }),
    exchange({ sent: { amount: "2" }, key: "B" })
  )
)

/** Compares a sentence, which may be missing. */
const says = (found: string | undefined, expected: RegExp | undefined) =>
  expected === undefined ? assert.isUndefined(found) : assert.match(found ?? "", expected)

const course = { fault: undefined, behaviour: undefined, replay: false, warnings: [] }

const lost = { ending: "response lost" as const }
const faulty = (name: string) => ({ fault: { name, answersInstead: false } })

interface Row {
  readonly status: string
  readonly reference?: string
  readonly operation?: string
}

/** A sandbox with these resources. A transaction names the resource that moved money. */
const sandboxOf = (rows: {
  readonly payments?: ReadonlyArray<Row>
  readonly payouts?: ReadonlyArray<Row>
  readonly links?: ReadonlyArray<Row>
  readonly cards?: ReadonlyArray<string>
  readonly transactions?: ReadonlyArray<string>
  readonly exchanges?: ReadonlyArray<Exchange>
}) => {
  const all = (some: ReadonlyArray<Row> = []) =>
    Effect.sync(() =>
      some.map((row) => ({
        amount: "1",
        currency: "XOF",
        idempotency_key: "A",
        operation: "COLLECTION",
        ...row
      }))
    )
  const some: Partial<Record<keyof Sandbox.Service, Effect.Effect<ReadonlyArray<object>>>> = {
    transactions: Effect.sync(() => (rows.transactions ?? []).map((source) => ({ source }))),
    paymentIntents: Effect.suspend(() => all(rows.payments)),
    payouts: all(rows.payouts),
    paymentLinks: all(rows.links),
    cards: Effect.sync(() => (rows.cards ?? []).map((id) => ({ id }))),
    exchanges: Effect.sync(() => [...(rows.exchanges ?? [])])
  }
  // Of all others, there are none.
  return new Proxy(some, {
    get: (target, name: keyof Sandbox.Service) => target[name] ?? Effect.succeed([])
  }) as unknown as Sandbox.Service
}

describe("the books", () => {
  const row = (status: string): Row => ({ reference: "R", status })
  const [pending, completed, failed] = [row("PENDING"), row("COMPLETED"), row("FAILED")]
  const [underReview, active] = [row("UNDER_REVIEW"), row("ACTIVE")]
  const use = ["payment link", true] as const
  const cases: ReadonlyArray<
    readonly [string, Parameters<typeof sandboxOf>[0], ReadonlyArray<readonly [string, boolean]>]
  > = [
    ["a pending payment", { payments: [pending] }, [["payment", false]]],
    ["a paid one", { payments: [completed], transactions: ["R"] }, [["payment", true]]],
    ["a failed one", { payments: [failed], transactions: ["other"] }, []],
    ["one of an unknown status", { payments: [underReview] }, [["payment", false]]],
    ["a deposit", { payments: [{ ...pending, operation: "DEPOSIT" }] }, [["payment", false]]],
    ["an operation without money", { payments: [{ ...pending, operation: "CHECK" }] }, []],
    ["a payout", { payouts: [completed], transactions: ["R"] }, [["payout", true]]],
    ["a link", { links: [active] }, [["payment link", false]]],
    ["a link that was paid twice", { links: [active], transactions: ["R", "R"] }, [use, use]],
    ["a card", { cards: ["C"] }, [["card", true]]]
  ]
  it.effect.each(cases)("have %s", ([, rows, expected]) =>
    Effect.gen(function* () {
      const { movements } = yield* judge.read(sandboxOf(rows))
      const found = movements.map(({ hasMoved, kind }) => [kind, hasMoved] as const)
      assert.deepStrictEqual(found, expected)
    })
  )
})

it("another order is what came since then with new keys, and the rest is this order's", () => {
  const [mine, again, theirs, read] = [
    exchange(),
    exchange({ index: 1 }),
    exchange({ index: 2, key: "B" }),
    exchange({ index: 3, key: undefined })
  ]
  const [first, second, link] = [
    movement(),
    movement({ name: "PAY-2", key: "B" }),
    movement({ name: "LNK-1", key: undefined })
  ]
  const late = movement({ name: "PAY-3" })
  const all = books([first, second, link, late], mine, again, theirs, read)
  const other = judge.since(books([first], mine), all)
  assert.deepStrictEqual(other, books([second, link], theirs, read))
  assert.deepStrictEqual(judge.without(other, all), books([first, late], mine, again))
})

describe("rule 1: no operation moves money twice", () => {
  const [link, other] = [movement({ kind: "payment link" }), movement({ name: "PAY-2" })]
  const [first, second] = [exchange(), exchange({ sent: { amount: "2" }, key: "B" })]
  const cases: ReadonlyArray<readonly [string, judge.Books, judge.Calm, RegExp | undefined]> = [
    ["one payment", books([movement()]), calm, undefined],
    [
      "two payments",
      books([movement(), other]),
      calm,
      /^Money moved twice for one order, by PAY-1/
    ],
    ["three payments", books([movement(), other, other]), calm, /moved 3 times .* and 1 more\.$/],
    ["one that moved and one open", books([movement(), open]), calm, /^Money may move twice/],
    ["two links", books([link, link]), calm, /^2 payment links can be paid for one order/],
    ["a payment and a card", books([movement(), movement({ kind: "card" })]), calm, undefined],
    [
      "two orders, as in the calm run",
      books([movement(), movement({ key: "B" })], first, second),
      twoOrders,
      undefined
    ],
    [
      "one of two orders twice",
      books([movement(), movement({ key: "C" })], first, exchange({ key: "C" })),
      twoOrders,
      /^Money moved twice for one order, by PAY-1 of 1 XOF \(key A\)/
    ],
    [
      "one of two orders twice, with its keys in the bodies",
      books(
        [movement(), movement({ key: "C" })],
        ...["A", "C"].map((key) => exchange({ key, sent: { amount: "1", idempotency_key: key } }))
      ),
      twoOrders,
      /^Money moved twice/
    ]
  ]
  it.each(cases)("%s", (_, books, calm, sentence) => {
    says(judge.movedTwice(books, calm), sentence)
  })
})

describe("rule 2: nobody is told what is not so", () => {
  const [none, moved, mayMove] = [books([]), books([movement()]), books([open])]
  const cases: ReadonlyArray<readonly [judge.Told, judge.Books, judge.Books, RegExp | undefined]> =
    [
      ["not paid", none, none, undefined],
      // The payment was made after the answer.
      ["not paid", none, moved, undefined],
      ["not paid", moved, moved, /“not paid”, but the money had moved: payment PAY-1/],
      ["not paid", mayMove, mayMove, /“not paid”, but the money could still move/],
      ["paid", moved, moved, undefined],
      // The money moved while the buyer asked.
      ["paid", none, moved, undefined],
      ["paid", mayMove, mayMove, /“paid”, but the money is not final yet/],
      ["paid", none, none, /“paid”, but the money has not moved/],
      ["open", moved, moved, undefined],
      ["review", mayMove, mayMove, undefined]
    ]
  it.each(cases)("“%s”", (told, before, after, sentence) => {
    says(judge.lie(told, before, after, calm), sentence)
  })

  it("“paid” needs a payment, also if the calm run had none when its script had run once", () => {
    const slow = judge.calmOf(books([]))
    assert.match(judge.lie("paid", none, none, slow) ?? "", /not moved/)
    assert.isUndefined(judge.lie("paid", none, moved, slow))
  })

  it("“paid” needs all orders of the calm run", () => {
    assert.match(judge.lie("paid", books([]), books([movement()]), twoOrders) ?? "", /not moved/)
  })
})

describe("rule 4: after an unknown outcome, the same key", () => {
  const [another, later] = [exchange({ key: "B", atMillis: 9 }), exchange({ atMillis: 9 })]
  const unconnected = { ending: "request lost" as const, ...faulty("no connection for a time") }
  const refused = exchange({ ending: 422, atMillis: 5 })
  const payout = exchange({ key: "B", atMillis: 9, operation: "Payouts.create" })
  const [two, ab, ba] = [{ amount: "2" }, { a: 1, b: 2 }, { b: 2, a: 1 }]
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<Exchange>, RegExp | undefined]> = [
    ["a lost response, and the same key", [exchange(lost), later], undefined],
    ["a lost response, and another key", [exchange(lost), another], /of the key A was unknown/],
    ...[408, 409, 500, 503].map(
      (ending) => [`a response of ${ending}`, [exchange({ ending }), another], /unknown/] as const
    ),
    ["a caller that left", [exchange({ ending: "caller left" }), another], /unknown/],
    ["half of a body", [exchange(faulty("truncated body")), another], /unknown/],
    ["of somebody else", [exchange(faulty("response of somebody else")), another], /unknown/],
    ["a refusal", [exchange({ ending: 422 }), another], undefined],
    ["a success", [exchange(), another], undefined],
    ["no connection", [exchange(unconnected), another], undefined],
    ["under way", [exchange({ tookMillis: 100, ending: 422 }), another], /unknown/],
    ["never answered", [exchange({ tookMillis: undefined, ending: 422 }), another], /unknown/],
    ["a refusal after a lost one", [exchange(lost), refused, another], /unknown/],
    ["a success after a lost one", [exchange(lost), exchange({ atMillis: 5 }), another], undefined],
    [
      "one key for two requests",
      [exchange(), exchange({ sent: two })],
      /^The key A was sent with two/
    ],
    ["members in another order", [exchange({ sent: ab }), exchange({ sent: ba })], undefined],
    ["another operation", [exchange(lost), payout], undefined]
  ]
  it.each(cases)("%s", (_, exchanges, sentence) => {
    says(judge.changedKey(books([], ...exchanges), calm), sentence)
  })

  it("another order has other keys", () => {
    const other = books([], exchange(), exchange({ key: undefined }))
    const own = (key: string | undefined) =>
      books([], exchange({ key: undefined }), exchange({ key }))
    assert.isUndefined(judge.sharedKey(own("B"), other))
    assert.strictEqual(judge.sharedKey(own("A"), other), "The key A was sent for two orders.")
  })

  it("two orders have two keys", () => {
    const second = exchange({ key: "B", sent: { amount: "2" }, atMillis: 9 })
    assert.isUndefined(judge.changedKey(books([], exchange(lost), second), twoOrders))
  })
})

it("rule 5: a storm is more requests in a minute than the bound", () => {
  const every = (millis: number) => Array.from({ length: 101 }, (_, index) => index * millis)
  assert.match(judge.storm(every(599), 100) ?? "", /More than 100 requests/)
  assert.isUndefined(judge.storm(every(600), 100))
  assert.isUndefined(judge.storm(every(1).slice(1), 100))
  assert.strictEqual(calm.mostPerMinute, 100)
  assert.strictEqual(judge.calmOf(books([], ...Array(20).fill(exchange()))).mostPerMinute, 200)
})

const faultOf = (name: string) =>
  faults.faults.find((fault) => fault.name === name) ?? assert.fail(name)

describe("the runs", () => {
  const token = { operation: "Token.obtain", nth: 1 }
  const write = { operation: create, nth: 1 }
  const read = { operation: "Payments.get", nth: 2 }
  const life = { operation: "press", nth: 1 }
  const options = { hasOthers: false, inProcess: true, pairs: 0, seed: 1 }
  const wordsOf = (places: ReadonlyArray<plan.Place>, changes = {}) =>
    plan.runsOf(places, { ...options, ...changes }).map(plan.words)

  it("of a life are two at once", () => {
    assert.deepStrictEqual(wordsOf([life]), ["1st press: two lives"])
  })

  it("of two lives have one beside the next", () => {
    const next = { operation: "worker", nth: 1 }
    assert.deepStrictEqual(wordsOf([life, next]), [
      "1st press: two lives",
      "1st press: next life too",
      "1st worker: two lives",
      "1st worker: next life too"
    ])
  })

  it("have each fault that fits a request, and no other", () => {
    const forATime = (...names: ReadonlyArray<string>) => names.map((name) => `${name} for a time`)
    const any = [
      "no connection",
      "request lost",
      "response lost",
      "request late",
      "response late",
      "rate limited",
      "truncated body",
      "server error",
      "server error after",
      "unavailable",
      "unavailable after",
      "death before",
      "death after",
      "second life",
      ...forATime("no connection", "request lost", "response lost", "response late"),
      ...forATime("server error after", "unavailable")
    ]
    const ofOne = [
      "response of somebody else",
      "token revoked",
      "empty data",
      "forbidden",
      ...forATime("forbidden", "empty data")
    ]
    const refusals = ["unprocessable", "conflict"]
    const becomes = ["fails", "unknown status", "completes late"]
    const expected = [
      [token, any],
      [read, [...any, ...ofOne, "not found", ...forATime("not found")]],
      [write, [...any, ...ofOne, ...becomes, ...refusals, ...forATime(...refusals)]],
      [
        { operation: "PaymentLinks.create", nth: 1 },
        [...any, ...ofOne, "link expired", ...refusals, ...forATime(...refusals)]
      ]
    ] as const
    for (const [place, names] of expected) {
      const single = wordsOf([place]).filter((words) => !words.includes(", next"))
      const faultNames = single.map((words) => words.split(": ")[1] ?? "")
      assert.sameMembers(faultNames, [...names])
    }
  })

  it("have a refusal after each lost request", () => {
    const sequels = wordsOf([write, read]).filter((words) => words.includes("next Payments.create"))
    assert.deepStrictEqual(
      sequels,
      ["death after", "response lost for a time"].flatMap((first) =>
        [
          "rate limited",
          "token revoked",
          "no connection for a time",
          "unprocessable for a time",
          "forbidden for a time"
        ].map((next) => `1st Payments.create: ${first}, next Payments.create: ${next}`)
      )
    )
  })

  it("read the payment of somebody else after their own has failed", () => {
    assert.include(
      wordsOf([life, write, { ...read, nth: 1 }, read]),
      `1st ${create}: fails, next Payments.get: response of somebody else`
    )
    assert.isEmpty(wordsOf([write]).filter((words) => words.includes("fails, next")))
  })

  it("begin with another order, if there is one", () => {
    const withOther = (places: ReadonlyArray<plan.Place>) =>
      wordsOf(places, { hasOthers: true }).filter((words) => words.includes("another order"))
    assert.deepStrictEqual(withOther([life, token, write]), [
      "1st press: another order",
      `1st press: another order, 1st ${create}: fails`
    ])
    const next = { operation: "worker", nth: 2 }
    assert.include(
      withOther([life, token, write, read, next, { ...life, nth: 2 }]),
      `1st ${create}: fails, next worker: another order`
    )
    assert.isEmpty(wordsOf([life, write]).filter((words) => words.includes("another order")))
  })

  it("on sockets have a connection", () => {
    const outside = wordsOf([write], { inProcess: false })
    assert.isNotEmpty(outside.filter((words) => words.includes("request lost")))
    assert.isEmpty(outside.filter((words) => /no connection|completes late/.test(words)))
  })

  it("have pairs, which are the same for the same seed", () => {
    const drawn = (seed: number) => wordsOf([write, read], { pairs: 30, seed }).slice(-30)
    assert.deepStrictEqual(drawn(1), drawn(1))
    assert.notDeepEqual(drawn(1), drawn(2))
    assert.isEmpty(drawn(1).filter((words) => words.split(", ").length !== 2))
    // An earlier place would never be reached.
    const inOrder = wordsOf([write, read], { pairs: 300 }).slice(-300)
    assert.isEmpty(inOrder.filter((words) => /Payments.get.*next Payments.create/.test(words)))
    // A second fault at the same place would never be reached.
    const places = drawn(1).map((words) => words.split(", ").map((one) => one.split(":")[0]))
    assert.isEmpty(places.filter(([first, second]) => first === second))
    const numbers = plan.runsOf([write], { ...options, pairs: 2 }).map(({ number }) => number)
    assert.deepStrictEqual(
      numbers,
      numbers.map((_, index) => index + 1)
    )
  })
})

describe("a fault", () => {
  const durations = { lastsMillis: 60, lateMillis: 600 }
  const inject = (...troubles: ReadonlyArray<readonly [string, number, string]>) => {
    const notes: Array<string> = []
    const injection = plan.inject(
      {
        number: 1,
        troubles: troubles.map(([operation, nth, name]) => ({
          operation,
          nth,
          fault: faultOf(name)
        }))
      },
      { ...durations, die: Effect.void, again: () => {}, note: (text) => void notes.push(text) }
    )
    /** Whether the request meets a fault. */
    const meets = (operation: string, nowMillis: number) => {
      const request = { operation, nowMillis, course, emulation: undefined as never }
      return injection.intercept(request) !== undefined
    }
    return { ...injection, meets, notes }
  }

  const get = "Payments.get"

  it("happens at its request only", () => {
    const { isReached, meets, notes } = inject([create, 2, "rate limited"])
    const early = [meets(create, 0), meets(get, 0), isReached()]
    assert.deepStrictEqual(early, [false, false, false])
    const late = [meets(create, 0), meets(create, 0), isReached()]
    assert.deepStrictEqual(late, [true, false, true])
    assert.deepStrictEqual(notes, ["2nd Payments.create: rate limited"])
  })

  it("for a time meets all later requests that it fits, until it is over", () => {
    const { isOver, meets, notes } = inject([create, 1, "not found for a time"])
    assert.isFalse(meets(create, 0), "a write is never not found")
    const lasting = inject([create, 1, "response lost for a time"])
    assert.isTrue(lasting.meets(create, 0))
    assert.isTrue(lasting.meets(get, 59))
    assert.deepStrictEqual([59, 60].map(lasting.isOver), [false, true])
    assert.isFalse(lasting.meets(create, 60))
    assert.isTrue(isOver(0))
    assert.isEmpty(notes)
  })

  it("that is late may still have an effect", () => {
    const { isOver, meets } = inject([create, 1, "request late"])
    assert.deepStrictEqual([meets(create, 0), meets(create, 1)], [true, false])
    assert.deepStrictEqual([599, 600].map(isOver), [false, true])
  })

  it("may be the next one after another", () => {
    const unprocessable = [create, 0, "unprocessable for a time"] as const
    const { meets } = inject([create, 1, "response lost for a time"], unprocessable)
    const met = [0, 30, 70, 129, 130].map((now) => meets(create, now))
    // From 70, it is the second one.
    assert.deepStrictEqual(met, [true, true, true, true, false])
  })

  it("that is the next one waits for the other", () => {
    const { isReached, meets, notes } = inject(
      [create, 2, "rate limited"],
      [create, 0, "unprocessable"]
    )
    const met = [1, 2, 3, 4].map((now) => [meets(create, now), isReached()])
    assert.deepStrictEqual(met, [
      [false, false],
      [true, false],
      [true, true],
      [false, true]
    ])
    const expected = ["2nd Payments.create: rate limited", "3rd Payments.create: unprocessable"]
    assert.deepStrictEqual(notes, expected)
    const lasting = inject([create, 1, "unprocessable for a time"], [get, 0, "not found"])
    assert.isTrue(lasting.meets(create, 0))
    assert.isFalse(lasting.meets(get, 59), "the other one still lasts")
    assert.isTrue(lasting.meets(get, 60))
  })

  it("of a life runs it twice", () => {
    const { begin } = inject(["press", 2, "two lives"])
    const begun = [begin("press", 1), begin("worker", 2), begin("press", 3)]
    const names = begun.map((fault) => fault?.name)
    assert.deepStrictEqual(names, [undefined, undefined, "two lives"])
  })

  it("of the next life waits for the other", () => {
    const { begin, meets } = inject([create, 1, "fails"], ["press", 0, "two lives"])
    assert.isUndefined(begin("press", 1))
    meets(create, 2)
    assert.strictEqual(begin("press", 3)?.name, "two lives")
    assert.isUndefined(begin("press", 4))
  })
})

describe("the effect of", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["no connection", ["request lost"]],
    ["request lost", ["request lost"]],
    ["response lost", ["processed", "response lost"]],
    ["request late", ["processed", "201 mine"]],
    ["response late", ["processed", "201 mine"]],
    ["response of somebody else", ["processed", "201 5ba0c1de-0000-4000-8000-000000000001"]],
    ["token revoked", ["tokens revoked", "processed", "201 mine"]],
    ["death before", ["death", "request lost"]],
    ["death after", ["processed", "death", "response lost"]],
    ["second life", ["second life", "processed", "201 mine"]],
    ["two lives", ["processed", "201 mine"]]
  ]
  it.live.each(cases)("%s", ([name, expected]) =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const see = (text: string) => void seen.push(text)
      const met = {
        course,
        emulation: { accounts: { revokeTokens: () => see("tokens revoked") } } as never,
        die: Effect.sync(() => see("death")),
        again: () => see("second life"),
        lateMillis: 1
      }
      const process = Effect.sync(() => {
        see("processed")
        return HttpServerResponse.unsafeJson({ data: { id: "mine" } }, { status: 201 })
      })
      const exit = yield* faultOf(name)
        .meet(met)(process)
        .pipe(
          Effect.map(HttpServerResponse.toWeb),
          Effect.flatMap((response) =>
            Effect.promise(async () => `${response.status} ${(await response.json()).data.id}`)
          ),
          Effect.catchTag("Dropped", ({ lost }) => Effect.succeed(`${lost} lost`)),
          Effect.provideService(Incoming, undefined as never),
          Effect.exit
        )
      if (Exit.isSuccess(exit)) see(exit.value)
      assert.deepStrictEqual(seen, expected)
    })
  )

  const withoutServices = {
    course,
    emulation: undefined as never,
    die: Effect.void,
    again: () => {},
    lateMillis: 1
  }

  Test.effect("response of somebody else changes each member that says whose it is", function* () {
    const own = { id: "a", reference: "b", issuance_reference: "c", amount: "1", status: "FAILED" }
    const answer = HttpServerResponse.unsafeJson({ data: { ...own, currency: "XOF" } })
    const response = yield* faultOf("response of somebody else")
      .meet(withoutServices)(Effect.succeed(answer))
      .pipe(Effect.provideService(Incoming, undefined as never))
    const { data } = yield* Effect.promise(() => HttpServerResponse.toWeb(response).json())
    assert.strictEqual(data.currency, "XOF")
    for (const [member, value] of Object.entries(own)) {
      assert.notStrictEqual(data[member], value, member)
    }
  })

  Test.effect("request late does not end with its sender", function* () {
    const processed = yield* Deferred.make<void>()
    const process = Effect.zipRight(Deferred.succeed(processed, undefined), Effect.never)
    const sender = yield* faultOf("request late")
      .meet({ ...withoutServices, lateMillis: 50 })(process)
      .pipe(Effect.provideService(Incoming, undefined as never), Effect.fork)
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(sender)
    yield* TestClock.adjust(50)
    assert.isTrue(yield* Deferred.isDone(processed))
  })
})

describe("a run", () => {
  const durations = {
    lastsMillis: 60,
    lateMillis: 6000,
    askMillis: Infinity,
    pauseMillis: 1000,
    endMillis: 8000
  }
  /** Runs a checkout that says these words, one after another. After each round, something may happen. */
  const run = (
    rows: Parameters<typeof sandboxOf>[0],
    told: (asked: number) => judge.Told,
    after: (round: number) => void = () => {},
    life: Effect.Effect<unknown, unknown, Intercept> = Effect.void,
    troubles: plan.Run["troubles"] = [],
    other: Effect.Effect<unknown, unknown, Intercept> = Effect.void
  ) => {
    let asked = 0
    const world: World<Intercept> = {
      ...durations,
      logs: false,
      time: times.alone(),
      open: () =>
        Effect.map(Effect.context<never>(), (context) => ({
          sandbox: sandboxOf(rows),
          script: ["press"],
          lives: { press: life, other },
          other: ["other"],
          told: Effect.sync(() => {
            after(asked)
            return told(asked++)
          }),
          // A run provides its interceptor to its service.
          start: () => Effect.succeed(context as Context.Context<Intercept>),
          kill: Effect.void
        }))
    }
    return trial({ number: 0, troubles }, calm, world)
  }
  const paid = { payments: [{ reference: "R", status: "COMPLETED" }], transactions: ["R"] }
  /** A request arrives at the service. Returns what it meets. */
  const arrive = Effect.gen(function* () {
    const nowMillis = yield* Clock.currentTimeMillis
    const emulation = undefined as never
    return (yield* Interceptor)({ operation: create, nowMillis, course, emulation })
  })
  const rulesOf = ({ violations }: Trial) => violations.map(({ rule }) => rule)
  const textsOf = ({ events }: Trial) => events.map(({ text }) => text)
  const startsOf = (trial: Trial) => textsOf(trial).filter((text) => text === "press starts").length

  Test.live("ends when nothing changes", function* () {
    const trial = yield* run(paid, () => "paid")
    assert.deepStrictEqual(rulesOf(trial), [])
    assert.strictEqual(trial.told, "paid")
    assert.strictEqual(startsOf(trial), 2)
  })

  Test.live("that stays open breaks rule 3", function* () {
    const trial = yield* run({}, () => "open")
    assert.deepStrictEqual(rulesOf(trial), [3])
    assert.match(trial.violations[0]?.sentence ?? "", /^After 9 lives the order is still open/)
  })

  Test.live("that changes its mind for ever ends without breaking it", function* () {
    const trial = yield* run(paid, (asked) => (asked % 2 === 0 ? "paid" : "review"))
    assert.deepStrictEqual(rulesOf(trial), [])
  })

  Test.live("goes on while money may move", function* () {
    const transactions = ["R"]
    const payments = [...paid.payments, { reference: "S", status: "PENDING" }]
    const moves = (round: number) => void (round === 5 && transactions.push("S"))
    const { violations } = yield* run({ payments, transactions }, () => "paid", moves)
    assert.match(violations[0]?.sentence ?? "", /^Money moved twice/)
  })

  Test.live("goes on while a late request may arrive", function* () {
    const late = { operation: create, nth: 1, fault: faultOf("request late") }
    const trial = yield* run(paid, () => "paid", undefined, arrive, [late])
    assert.isAbove(startsOf(trial), 2)
  })

  Test.live("judges an answer by what was so before the question", function* () {
    const payments: Array<Row> = []
    const trial = yield* run({ payments }, (asked) => {
      if (asked > 0) return "open"
      payments.push({ reference: "R", status: "PENDING" })
      return "not paid"
    })
    assert.deepStrictEqual(rulesOf(trial), [3])
  })

  Test.live("judges what a life tells", function* () {
    const trial = yield* run(paid, () => "paid", undefined, Effect.succeed("not paid"))
    assert.deepStrictEqual(rulesOf(trial), [2])
  })

  Test.live("notes the error of a life", function* () {
    const dies = Effect.die(new Error("no money\nat all"))
    const trial = yield* run(paid, () => "paid", undefined, dies)
    assert.include(textsOf(trial), "press fails with no money")
  })

  Test.live("ends with a problem of its server", function* () {
    const problem = new Problem({ message: "The port is in use." })
    const failed = yield* Effect.flip(run(paid, () => "paid", undefined, Effect.fail(problem)))
    assert.strictEqual(failed.message, "The port is in use.")
  })

  Test.live("runs a life twice at once", function* () {
    let lives = 0
    let most = 0
    const life = Effect.gen(function* () {
      most = Math.max(most, ++lives)
      yield* Effect.sleep(100)
      lives--
    })
    for (const name of ["two lives", "next life too"]) {
      most = 0
      const twice = { operation: "press", nth: 2, fault: faultOf(name) }
      const { isReached } = yield* run(paid, () => "paid", undefined, life, [twice])
      assert.deepStrictEqual([isReached, most], [true, 2], name)
    }
  })

  describe("after another order", () => {
    const first = { operation: "press", nth: 1, fault: faults.anotherOrder }
    /** The other order is paid, with the key A. Then this one ends. */
    const beside = (told: judge.Told, key: string, troubles: plan.Run["troubles"] = []) => {
      const rows = {
        payments: [] as Array<Row>,
        transactions: [] as Array<string>,
        exchanges: [] as Array<Exchange>
      }
      const pay = Effect.sync(() => {
        if (rows.payments.length > 0) return
        rows.payments.push({ reference: "R", status: "COMPLETED" })
        rows.transactions.push("R")
        rows.exchanges.push(exchange())
      })
      const send = Effect.sync(
        () => void rows.exchanges.push(exchange({ key, index: rows.exchanges.length }))
      )
      const life = Effect.zipRight(send, arrive)
      const other = Effect.zipRight(pay, arrive)
      return run(rows, () => told, undefined, life, [first, ...troubles], other)
    }

    Test.live("the payment of that one is not its own", function* () {
      assert.deepStrictEqual(rulesOf(yield* beside("paid", "B")), [2])
    })

    Test.live("it is judged alone", function* () {
      const trial = yield* beside("not paid", "B")
      assert.deepStrictEqual(rulesOf(trial), [])
      assert.include(textsOf(trial), "another order was paid")
      assert.isTrue(trial.isReached)
    })

    Test.live("it is said that the other one was not paid in time", function* () {
      const trial = yield* run({}, () => "not paid", undefined, arrive, [first])
      assert.include(textsOf(trial), "another order was not paid")
    })

    Test.live("its own request meets the fault", function* () {
      const fails = { operation: create, nth: 1, fault: faultOf("fails") }
      const trial = yield* beside("not paid", "B", [fails])
      assert.isTrue(trial.isReached)
      const texts = textsOf(trial)
      const [paid, failed] = ["another order was paid", "1st Payments.create: fails"]
      assert.isAbove(texts.indexOf(failed), texts.indexOf(paid))
    })

    Test.live("it has a key of its own", function* () {
      assert.deepStrictEqual(rulesOf(yield* beside("not paid", "A")), [4])
    })
  })

  Test.live("goes on until it says the same twice", function* () {
    const trial = yield* run(paid, (asked) => (asked === 0 ? "review" : "paid"))
    assert.strictEqual(startsOf(trial), 3)
  })

  Test.live("ends a life with its process", function* () {
    const ends = { started: 0, ended: 0 }
    const life = Effect.gen(function* () {
      ends.started++
      const meet = yield* arrive
      const process = Effect.succeed(HttpServerResponse.empty())
      if (meet !== undefined) {
        yield* Effect.ignore(Effect.provideService(meet(process), Incoming, undefined as never))
      }
      yield* Effect.sleep(1)
      ends.ended++
    })
    const death = { operation: create, nth: 1, fault: faultOf("death after") }
    const trial = yield* run(paid, () => "paid", undefined, Effect.exit(life), [death])
    assert.include(textsOf(trial), "the process dies")
    assert.deepStrictEqual(ends, { started: 2, ended: 1 })
  })

  Test.live("judges the keys", function* () {
    const exchanges = [exchange(lost), exchange({ key: "B", atMillis: 9 })]
    const trial = yield* run({ ...paid, exchanges }, () => "paid")
    assert.deepStrictEqual(rulesOf(trial), [4])
  })
})

describe("the report", () => {
  const of = (changes: Partial<Trial> & { readonly number?: number } = {}): Trial => ({
    run: {
      number: changes.number ?? 0,
      troubles: changes.number ? [{ operation: create, nth: 1, fault: faultOf("fails") }] : []
    },
    told: "paid",
    events: [{ atMillis: 100, text: "press starts" }],
    once: books([movement()], exchange()),
    exchanges: [exchange({ atMillis: 110 })],
    places: [],
    isReached: true,
    violations: [],
    ...changes
  })
  const violations = [{ rule: 1 as const, sentence: 'Money <moved> & "twice".' }]
  const failed = of({ number: 1, violations })
  const options = { seed: 1, tookMillis: 1000, repeat: (run: plan.Run) => `repeat ${run.number}` }
  const make = (trials: ReadonlyArray<Trial>, run?: string) =>
    report.make([of(), ...trials], { ...options, planned: trials.length, run })

  it("passes without a failure", () => {
    const { failures, runs, text } = make([of({ number: 1 })])
    assert.deepStrictEqual([failures, runs], [[], 2])
    assert.match(text, /^2 runs in 1.0 s, with seed 1.\n.*: Payments.create 1\.\n[^]*\nPassed\.$/)
    assert.notMatch(text, /Not counted|has to decide|1st/)
  })

  it("counts a run that missed its fault for nothing", () => {
    const missed = make([of({ ...failed, isReached: false })])
    assert.deepStrictEqual([missed.runs, missed.missed, missed.failures], [1, [1], []])
    assert.match(missed.text, /Not counted, because a fault was not reached: 1 run \(1\)/)
    assert.match(missed.text, /fails +0 +0 +1\n/)
    assert.match(
      report.junit(missed),
      /failures="0" skipped="1"[^]*1st Payments.create: fails"><skip/
    )
  })

  it.each([
    ["1 run", 1],
    ["8 runs", 8]
  ] as const)("of a proof that was stopped with %s left says so", (text, left) => {
    const planned = 1 + left
    const stopped = { ...options, planned, run: undefined }
    const { result } = report.make([of(), of({ number: 1 })], stopped)
    assert.strictEqual(result, `Stopped with ${text} left. 0 of 2 runs failed.`)
  })

  it("draws the first failure of each rule", () => {
    const second = of({ number: 2, violations })
    const other = of({ number: 3, violations: [{ rule: 2, sentence: "Told." }] })
    const { failures, text } = make([failed, second, other])
    const drawn = failures.map(({ rule, run }) => `rule ${rule}, run ${run}`)
    assert.deepStrictEqual(drawn, ["rule 1, run 1", "rule 2, run 3"])
    assert.match(text, /Run 1, 1st Payments.create: fails\n\n {2}✗ Money <moved> & "twice"/)
    assert.match(text, / 10ms {2}POST \/payments {2}A .* ───▶ processed it +◀── 201\n/)
    assert.match(
      text,
      /A is the key A\n\n {2}Derive the key.*\n {2}Other runs that break the same rule: 1\./
    )
    assert.match(text, /Repeat this run: repeat 1\n[^]*Failed: 3 of 4 runs\.$/)
    assert.match(text, /fails +3 +3 +0\n/)
    assert.match(
      report.junit(make([failed])),
      /message="Money &#60;moved&#62; &#38; &#34;twice&#34;\.">/
    )
  })

  it.each(["7", "1st Payments.create: fails"])(
    "draws the only run, also if it passes: %s",
    (run) => {
      const trials = [of({ number: 7 })]
      assert.match(make(trials, run).text, /Run 7, 1st .*\n\n.*Your code.*The service/)
      assert.notMatch(make(trials, "8").text, /Run 7/)
    }
  )

  it("counts a run with two faults in the row of each", () => {
    const faults = ["forbidden", "conflict"].map(faultOf)
    const troubles = faults.map((fault) => ({ operation: create, nth: 1, fault }))
    const { text } = make([of({ run: { number: 1, troubles } })])
    assert.match(text, /forbidden +1 +0 +0\n +conflict +1 +0 +0\n/)
  })

  it("says how many runs a person decides", () => {
    const { text } = make([of({ number: 1, told: "review" })])
    assert.match(text, /A person has to decide at the end of 1 run\./)
  })

  const unavailable = { fault: { name: "unavailable", answersInstead: true } }
  it.each([
    [{ ending: "request lost" as const }, /──✕ {2}never saw it/],
    [{ ...unavailable, ending: 503 }, /never saw it +◀── 503/],
    [lost, /processed it +✕── response lost/],
    [{ replay: true }, /knows the key: nothing new/],
    [{ ending: 422 }, /refused it +◀── 422/],
    [{ ending: 404, ...faulty("not found") }, /processed it +◀── 404/],
    [{ method: "GET", ending: 200 }, /read it +◀── 200/],
    [{ ending: "open" as const }, /processed it$/m]
  ])("draws %o", (changes, line) => {
    assert.match(report.drawing(of({ exchanges: [exchange(changes)] })).join("\n"), line)
  })

  const reading = exchange({ operation: "Payments.get" })
  it.each([
    [of({ exchanges: [] }), /sends no request to the sandbox/],
    [of({ exchanges: [reading] }), /sends no request that moves money/],
    [of({ told: "open" }), /ends with “open”[^]*Your code/],
    [of(), undefined],
    // It is reported as a failure.
    [of({ told: "not paid", violations }), undefined]
  ])("says why a calm run is no start (%#)", (calm, problem) => {
    says(report.problemOf(calm), problem)
  })
})
