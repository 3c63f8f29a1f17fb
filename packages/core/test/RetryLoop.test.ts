/**
 * The pure step of the retry loop: a table of every fault and replay class, and properties of any
 * sequence of attempts.
 */
import { assert, describe, it } from "@effect/vitest"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as FastCheck from "effect/FastCheck"
import * as Record from "effect/Record"
import * as retryLoop from "../src/internal/call/retryLoop.js"
import * as policies from "../src/internal/call/policy.js"

const replays = {
  Safe: { _tag: "Safe" },
  Keyed: { _tag: "Keyed", in: "header", name: "idempotency-key" },
  Once: { _tag: "Once" }
} as const satisfies Record<RetryPolicy.Replay["_tag"], RetryPolicy.Replay>

/** An attempt that failed immediately, without a delay by the budget. */
const failed = (
  fault: RetryPolicy.Fault,
  more: Partial<retryLoop.Attempt> = {}
): retryLoop.Attempt => ({
  fault,
  retryAfterMillis: undefined,
  hasToken: true,
  other: undefined,
  nowMillis: 0,
  chance: 0,
  budgetMillis: 0,
  ...more
})

const rulesOf = (replay: RetryPolicy.Replay, policy: Partial<RetryPolicy.RetryPolicy> = {}) =>
  policies.rulesOf({ ...RetryPolicy.defaults, ...policy }, replay)

const stepOf = { stop: "Done", retry: "Again", renew: "Renew" } as const

it("counts a request, which is in flight until its attempt fails", () => {
  const before = retryLoop.start(1000)
  assert.deepInclude(before, { sent: 0, inFlight: false })
  const sent = retryLoop.sending(before)
  assert.deepInclude(sent, { sent: 1, inFlight: true })
  const { state } = retryLoop.decide(rulesOf(replays.Safe), sent, failed("ServerError"))
  assert.deepInclude(state, { sent: 1, inFlight: false })
})

it("counts the time left from the start of the call", () => {
  const rules = rulesOf(replays.Safe)
  const whole = retryLoop.leftMillis(rules, retryLoop.start(1000), 1000)
  assert.strictEqual(retryLoop.leftMillis(rules, retryLoop.start(1000), 3000), whole - 2000)
  assert.strictEqual(retryLoop.leftMillis(rules, retryLoop.start(1000), 0), whole)
})

// `Retry.test.ts` has the table, written by hand.
describe("after the first attempt", () => {
  for (const fault of Record.keys(RetryPolicy.table)) {
    const rule: RetryPolicy.Rule = RetryPolicy.table[fault]
    for (const replay of Object.values(replays)) {
      const expected = stepOf[rule[replay._tag]]
      it(`${fault}, ${replay._tag}: ${expected}`, () => {
        const next = retryLoop.decide(rulesOf(replay), retryLoop.start(0), failed(fault))
        assert.strictEqual(next._tag, expected)
        assert.strictEqual(next.state.doubtful, rule.outcome !== "notApplied")
        assert.strictEqual(next.state.renewed, expected === "Renew")
        assert.strictEqual(next.state.retries, expected === "Again" ? 1 : 0)
        if (next._tag === "Done") assert.strictEqual(next.because, "rule")
      })
    }
  }
})

// Up to one base longer than Retry-After, so that callers do not return together.
for (const [after, retries, budgetMillis, millis] of [
  [5000, 0, 0, 5500],
  [0, 3, 0, 4000],
  [5000, 0, 1, 5500],
  [5000, 0, 7000, 7000]
] as const) {
  it(`after Retry-After ${after}, ${retries} retries, no budget for ${budgetMillis} ms: ${millis} ms`, () => {
    const rules = rulesOf(replays.Keyed, { base: 1000 })
    const given = { retryAfterMillis: after, chance: 0.5, budgetMillis }
    const refused = failed("RateLimitError", given)
    const next = retryLoop.decide(rules, { ...retryLoop.start(0), retries }, refused)
    assert(next._tag === "Again")
    assert.strictEqual(next.afterMillis, millis)
  })
}

describe("a call ends", () => {
  const limits = { attempts: 3, attemptTimeout: 1000, deadline: 10_000, base: 0 }
  const rules = rulesOf(replays.Keyed, limits)

  const [bare, late, longAfter] = [
    { hasToken: false },
    { nowMillis: 9900 },
    { retryAfterMillis: 9900 }
  ]
  const [lateBudget, noBudget] = [{ budgetMillis: 9900 }, { budgetMillis: Infinity }]
  for (const [why, because, state, last] of [
    ["by the rule", "rule", {}, failed("UnprocessableError")],
    ["when the renewed token is rejected", "rule", { renewed: true }, failed("UnauthorizedError")],
    ["when a request without a token is refused", "rule", {}, failed("UnauthorizedError", bare)],
    ["after its last attempt", "attempts", { retries: 2 }, failed("ServerError")],
    ["when its retry would be too late", "deadline", {}, failed("ServerError", late)],
    ["when Retry-After is too long", "deadline", {}, failed("ServerError", longAfter)],
    ["when a new token would be too late", "deadline", {}, failed("UnauthorizedError", late)],
    [
      "when the budget would allow the retry too late",
      "budget",
      {},
      failed("ServerError", lateBudget)
    ],
    ["when the budget never allows a retry", "budget", {}, failed("ServerError", noBudget)],
    [
      "when the same other resource is received again",
      "key reused",
      { other: "thing-1" },
      failed("UnreadableResponse", { other: "thing-1" })
    ]
  ] as const) {
    it(why, () => {
      const next = retryLoop.decide(rules, { ...retryLoop.start(0), ...state }, last)
      assert(next._tag === "Done", next._tag)
      assert.strictEqual(next.because, because)
    })
  }

  it("not when its retry is 1 ms before the latest start", () => {
    const last = failed("ServerError", { budgetMillis: 9899 })
    const next = retryLoop.decide(rules, retryLoop.start(0), last)
    assert(next._tag === "Again")
    assert.strictEqual(next.afterMillis, 9899)
  })
})

describe("the time of a call", () => {
  const reserved: Record<RetryPolicy.Replay["_tag"], number> = { Safe: 0, Keyed: 100, Once: 100 }
  for (const [attemptTimeout, deadline] of [
    [1000, 20_000],
    [20_000, 1000],
    [1000, Infinity],
    [Infinity, 1000]
  ] as const) {
    it(`keeps a tenth of ${attemptTimeout} or ${deadline} ms for the last attempt of a write`, () => {
      const leastMillis = (replay: RetryPolicy.Replay) =>
        rulesOf(replay, { attemptTimeout, deadline }).leastMillis
      assert.deepStrictEqual(Record.map(replays, leastMillis), reserved)
    })
  }

  it("lets a write start, however short its deadline is", () => {
    for (const deadline of [1, 100, 2000, 3000]) {
      const rules = policies.rulesOf({ ...RetryPolicy.defaults, deadline }, replays.Keyed)
      assert.isAbove(retryLoop.leftMillis(rules, retryLoop.start(0), 0), 0)
    }
  })
})

const replay = FastCheck.constantFrom<RetryPolicy.Replay>(...Object.values(replays))

const policy: FastCheck.Arbitrary<RetryPolicy.RetryPolicy> = FastCheck.record({
  attempts: FastCheck.integer({ min: 1, max: 6 }),
  base: FastCheck.nat(5000),
  cap: FastCheck.nat(20_000),
  attemptTimeout: FastCheck.integer({ min: 1, max: 60_000 }),
  deadline: FastCheck.integer({ min: 1, max: 300_000 }),
  budget: FastCheck.nat(5)
})

const rules = FastCheck.tuple(policy, replay).map(([own, by]) => policies.rulesOf(own, by))

const attempt = FastCheck.record({
  fault: FastCheck.constantFrom(...Record.keys(RetryPolicy.table)),
  retryAfterMillis: FastCheck.oneof(
    { weight: 4, arbitrary: FastCheck.constant(undefined) },
    FastCheck.nat(400_000),
    FastCheck.constant(Number.MAX_SAFE_INTEGER)
  ),
  hasToken: FastCheck.boolean(),
  other: FastCheck.constantFrom(undefined, "thing-1", "thing-2"),
  chance: FastCheck.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  budgetMillis: FastCheck.oneof(
    { weight: 4, arbitrary: FastCheck.constant(0) },
    FastCheck.nat(200_000),
    FastCheck.constant(Infinity)
  ),
  tookMillis: FastCheck.oneof(FastCheck.nat(10), FastCheck.nat(60_000))
})

const attempts = FastCheck.array(attempt, { minLength: 1, maxLength: 20 })

const state: FastCheck.Arbitrary<retryLoop.State> = FastCheck.record({
  startedMillis: FastCheck.integer({ min: -1e12, max: 1e12 }),
  sent: FastCheck.nat(8),
  retries: FastCheck.nat(6),
  renewed: FastCheck.boolean(),
  inFlight: FastCheck.boolean(),
  doubtful: FastCheck.boolean(),
  other: FastCheck.constantFrom(undefined, "thing-1", "thing-2")
})

interface Taken {
  readonly failed: retryLoop.Attempt
  readonly next: retryLoop.Next
}

/** The steps of a call whose attempts all fail. */
const run = (
  own: policies.Rules,
  failures: ReadonlyArray<Omit<retryLoop.Attempt, "nowMillis"> & { readonly tookMillis: number }>
): ReadonlyArray<Taken> => {
  const taken: Array<Taken> = []
  let nowMillis = 0
  let before = retryLoop.start(nowMillis)
  for (const { tookMillis, ...failure } of failures) {
    nowMillis += Math.min(tookMillis, retryLoop.attemptMillis(own, before, nowMillis))
    const failed = { ...failure, nowMillis }
    const next = retryLoop.decide(own, { ...before, sent: before.sent + 1 }, failed)
    taken.push({ failed, next })
    if (next._tag === "Done") break
    if (next._tag === "Again") nowMillis += next.afterMillis
    before = next.state
  }
  return taken
}

const many = { fastCheck: { numRuns: 1000 } }

const mayBeApplied = ({ failed: { fault } }: Taken) =>
  RetryPolicy.table[fault].outcome !== "notApplied"

describe("after any faults, a call", () => {
  /** Checks the steps of a call whose attempts all fail. */
  const holds = (
    title: string,
    check: (taken: ReadonlyArray<Taken>, own: policies.Rules) => void,
    of = rules
  ) => it.prop(title, [of, attempts], ([own, all]) => check(run(own, all), own), many)
  const by = (replay: RetryPolicy.Replay) => policy.map((own) => policies.rulesOf(own, replay))

  holds("starts no attempt at or after its deadline", (taken, own) => {
    for (const { failed: last, next } of taken) {
      if (next._tag === "Done") continue
      const atMillis = last.nowMillis + (next._tag === "Again" ? next.afterMillis : 0)
      assert.isBelow(atMillis, own.deadlineMillis)
      assert.isAtMost(atMillis, own.deadlineMillis - own.leastMillis)
    }
  })

  holds("makes at most the attempts of its policy", (taken, own) => {
    const renewed = taken.filter(({ next }) => next._tag === "Renew").length
    assert.isAtMost(taken.length - renewed, own.policy.attempts)
  })

  holds("renews its token at most once", (taken) => {
    const renewed = taken.filter(({ next }) => next._tag === "Renew")
    assert.isAtMost(renewed.length, 1)
    for (const { failed: last } of renewed) assert.strictEqual(last.fault, "UnauthorizedError")
  })

  holds("remains doubtful after an attempt that may have been applied", (taken) => {
    const first = taken.findIndex(mayBeApplied)
    taken.forEach(({ next }, i) =>
      assert.strictEqual(next.state.doubtful, first !== -1 && i >= first)
    )
  })

  const unkeyed = (taken: ReadonlyArray<Taken>) => {
    for (const one of taken) if (mayBeApplied(one)) assert.strictEqual(one.next._tag, "Done")
  }
  holds("without a key makes no attempt after an unknown outcome", unkeyed, by(replays.Once))

  holds("ends with a reused key only if its key received a resource twice", (taken, own) => {
    const last = taken.at(-1)
    if (last?.next._tag !== "Done" || last.next.because !== "key reused") return
    const { other } = last.failed
    assert.strictEqual(own.replay._tag, "Keyed")
    assert.isDefined(other)
    assert.isAtLeast(taken.filter((one) => one.failed.other === other).length, 2)
  })

  const keyed = (taken: ReadonlyArray<Taken>) => {
    let previous: string | undefined
    for (const { failed: last, next } of taken) {
      if (last.other !== undefined && last.other === previous) {
        assert(next._tag === "Done")
        assert.strictEqual(next.because, "key reused")
      }
      previous = last.other ?? previous
    }
  }
  holds(
    "with a key is not retried after one resource twice in succession",
    keyed,
    by(replays.Keyed)
  )
})

describe("from any state", () => {
  const atMillis = FastCheck.integer({ min: -1e12, max: 1e12 })

  /** Checks one retryLoop. */
  const holds = (title: string, check: (at: retryLoop.State, next: retryLoop.Next) => void) =>
    it.prop(
      title,
      [rules, state, attempt, atMillis],
      ([own, at, one, nowMillis]) => check(at, retryLoop.decide(own, at, { ...one, nowMillis })),
      many
    )

  holds("doubt is permanent", (at, next) => {
    if (at.doubtful) assert.isTrue(next.state.doubtful)
  })

  holds("a token is never renewed twice", (at, next) => {
    if (at.renewed) {
      assert.isTrue(next.state.renewed)
      assert.notStrictEqual(next._tag, "Renew")
    }
  })

  it.prop(
    "a retry waits for Retry-After and the budget",
    [rules, state, attempt],
    ([own, at, one]) => {
      const next = retryLoop.decide(own, at, { ...one, nowMillis: at.startedMillis })
      if (next._tag !== "Again") return
      assert.isAtLeast(next.afterMillis, one.retryAfterMillis ?? 0)
      assert.isAtLeast(next.afterMillis, one.budgetMillis)
    },
    many
  )

  it.prop(
    "no pause is longer than the deadline, at any time of the clock",
    [
      rules,
      FastCheck.record({
        retryAfterMillis: FastCheck.nat(1_000_000),
        budgetMillis: FastCheck.nat(1_000_000),
        chance: FastCheck.constant(0),
        nowMillis: FastCheck.integer({ min: -10_000_000, max: 1000 })
      })
    ],
    ([own, one]) => {
      const next = retryLoop.decide(own, retryLoop.start(0), failed("NotSent", one))
      if (next._tag === "Again") assert.isBelow(next.afterMillis, own.deadlineMillis)
    },
    many
  )

  it.prop(
    "an attempt that starts in time has at least a tenth of its timeout, and ends before the deadline",
    [rules, FastCheck.double({ min: 0, max: 1, noNaN: true })],
    ([own, part]) => {
      const at = retryLoop.start(0)
      const now = Math.floor(
        (at.startedMillis + retryLoop.leftMillis(own, at, at.startedMillis)) * part
      )
      const millis = retryLoop.attemptMillis(own, at, now)
      assert.isAtMost(millis, own.attemptMillis)
      assert.isAtMost(now + millis, own.deadlineMillis)
      assert.isAtLeast(millis, own.leastMillis)
    },
    many
  )
})
