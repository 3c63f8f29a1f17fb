/** The table of `Durable.write`, row by row, over all members of its types. */
import { assert, describe, it } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Doubt from "@manilla/workflows/Doubt"

const operation = "Shop.pay"
const key = IdempotencyKey.make("order-42")
const common = { operation, message: "no" }
const transport = (sent: boolean) => new Errors.TransportError({ ...common, sent })
const status = (status: number) => ({ ...common, status })

/** A kind of answer: a row of the table. */
type Kind = "unreadable" | "unknown" | "temporary" | "refusal"

/** Every error of a call. One tag may be of several kinds. */
const answers: ReadonlyArray<readonly [string, Kind, Errors.KeyedWriteError]> = [
  [
    "a success that cannot be read",
    "unreadable",
    new Errors.AppliedUnreadable({ ...status(201), key, issues: [] })
  ],
  [
    "another resource",
    "unreadable",
    new Errors.KeyReused({ ...common, key, differs: [], attempts: 1 })
  ],
  ["no answer", "unknown", new Errors.OutcomeUnknown({ ...common, key, cause: transport(true) })],
  ["a connection that was lost", "unknown", transport(true)],
  ["no connection", "temporary", transport(false)],
  ["no token, because of no connection", "temporary", noToken(transport(false))],
  ["no token", "temporary", noToken(undefined)],
  [
    "no token, because the credentials are refused",
    "temporary",
    noToken(new Errors.BadRequestError(status(400)))
  ],
  ["a 401", "temporary", new Errors.UnauthorizedError(status(401))],
  ["a 429", "temporary", new Errors.RateLimitError(status(429))],
  ["a 400", "refusal", new Errors.BadRequestError(status(400))],
  ["a 403", "refusal", new Errors.ForbiddenError({ ...status(403), grantedScopes: [] })],
  ["a 404", "refusal", new Errors.NotFoundError(status(404))],
  ["a 422", "refusal", new Errors.UnprocessableError(status(422))],
  ["an invalid request", "refusal", new Errors.InvalidRequestError({ ...common, issues: [] })]
]

function noToken(cause: Errors.TokenUnavailableError["cause"]) {
  return new Errors.TokenUnavailableError({ ...common, cause })
}

const nowMillis = 1_000_000
const minute = 60_000
const fresh = Doubt.start({ operation, key, deadlineMillis: 60 * minute })

/** The state after events. */
const after = (state: Doubt.State, ...events: ReadonlyArray<Doubt.Event>) =>
  events.reduce((before, event) => Doubt.next(before, event).state, state)

const begun = { _tag: "Begun", atMillis: nowMillis, isFirst: true } as const
const sending = { _tag: "Sending", nowMillis, pauseMillis: minute, isCancelled: false } as const
const answered = (error?: Errors.KeyedWriteError) => ({ _tag: "Answered", error }) as const
const lost = answered(new Errors.OutcomeUnknown({ ...common, key, cause: transport(true) }))

/** Every way in which a write comes into doubt, or not: the state in which its request is sent. */
const states: ReadonlyArray<readonly [string, boolean, Doubt.State]> = [
  ["at first", false, fresh],
  ["after a temporary answer", false, after(fresh, begun, sending, answered(transport(false)))],
  [
    "of which an earlier call may have sent the request",
    true,
    Doubt.start({ ...fresh, sentMillis: nowMillis })
  ],
  ["after no answer", true, after(fresh, begun, sending, lost)],
  [
    "after no answer, and a 422",
    true,
    after(fresh, begun, sending, lost, begun, sending, answered(answers[13]?.[2]))
  ],
  ["that an earlier life has begun", true, after(fresh, { ...begun, isFirst: false })],
  ["whose request was interrupted", true, after(fresh, begun, sending)]
]

const open = { tag: "Pause", outcome: "unknown" }
const ends = (outcome: Errors.Outcome) => ({ tag: "Fail", outcome })

/** The action after an answer, and the outcome of its error. */
const followed = (next: Doubt.Next) => ({
  tag: next._tag,
  outcome: "error" in next ? Errors.outcome(next.error) : "applied"
})

const used = { ...status(422), code: "idempotency_key_reused" }
const unknown = (cause: Errors.ReadError) => new Errors.OutcomeUnknown({ ...common, key, cause })
it.each([
  [true, "another resource", new Errors.KeyReused({ ...common, key, differs: [], attempts: 1 })],
  [true, "a refusal of its key", new Errors.UnprocessableError(used)],
  [true, "a conflict of its key", new Errors.ConflictError({ ...used, status: 409 })],
  [true, "a refusal of its key in doubt", unknown(new Errors.UnprocessableError(used))],
  [false, "a refusal", new Errors.UnprocessableError({ ...used, code: "LOW_AMOUNT" })],
  [false, "a refusal without a code", new Errors.UnprocessableError(status(422))],
  [false, "no answer", unknown(transport(true))]
] as const)("it is %s that a key belongs to another request after %s", (is, _, error) =>
  assert.strictEqual(Doubt.isOfOtherRequest(error), is)
)

it("the answers are all errors of a call", () => {
  const tags = Errors.KeyedWriteError.members.map(({ _tag }) => _tag)
  assert.sameMembers([...new Set(answers.map(([, , { _tag }]) => _tag))], tags)
})

describe.each(states)("a write %s", (_, isInDoubt, before) => {
  const sent = after(before, begun, sending)
  /** The next pause would pass the deadline. */
  const last = after(before, begun, { ...sending, pauseMillis: 61 * minute })

  it("says whether it is in doubt when it sends", () => {
    assert.strictEqual(Doubt.next(after(before, begun), sending)._tag, "Send")
    assert.deepInclude(sent, { isInDoubt, isSending: true })
  })

  it("ends with a success", () => {
    assert.deepInclude(Doubt.next(sent, answered()), { _tag: "Done" })
  })

  it.each(answers)("after %s", (_, kind, error) => {
    const next = Doubt.next(sent, answered(error))
    const outcome = Errors.outcome(error)
    const expected = {
      unreadable: ends(outcome),
      unknown: open,
      temporary: isInDoubt ? open : { tag: "Pause", outcome: "notApplied" },
      refusal: isInDoubt ? open : ends("notApplied")
    }[kind]
    assert.deepStrictEqual(followed(next), expected)
    assert.isFalse(next.state.isSending)
    // Nothing removes a doubt, and an unknown outcome is one.
    assert.strictEqual(next.state.isInDoubt, isInDoubt || outcome === "unknown")
    // The next life reads the stored answer, and comes to the same.
    if (next._tag !== "Pause") return
    const later = Doubt.next(after(before, begun), answered(next.error))
    assert.deepStrictEqual(followed(later), followed(next))
    assert.strictEqual(later.state.isInDoubt, next.state.isInDoubt)
  })

  it.each(answers)("without time for another request, ends after %s", (_, __, error) => {
    const next = Doubt.next(last, answered(error))
    const outcome = Errors.outcome(error)
    const isKept = !isInDoubt || outcome !== "notApplied"
    assert.deepStrictEqual(followed(next), ends(isKept ? outcome : "unknown"))
  })

  it("is cancelled before its request unless it is in doubt", () => {
    const next = Doubt.next(after(before, begun), { ...sending, isCancelled: true })
    assert.strictEqual(next._tag, isInDoubt ? "Send" : "Cancel")
  })

  it.each([
    ["at its deadline", 60 * minute, "Send"],
    ["after its deadline", 60 * minute + 1, isInDoubt ? "Fail" : "Send"],
    ["by a clock that is a minute behind", -minute, "Send"],
    ["by a clock that was set back", -minute - 1, isInDoubt ? "Fail" : "Send"],
    ["by a clock that was set back by days", -5_000 * minute, isInDoubt ? "Fail" : "Send"]
  ])("%s is sent only if nothing was sent before", (_, waited, tag) => {
    const late = { ...sending, nowMillis: nowMillis + waited }
    const next = Doubt.next(after(before, begun), late)
    assert.strictEqual(next._tag, tag)
    if (next._tag === "Fail") assert.strictEqual(Errors.outcome(next.error), "unknown")
  })
})

it("a write is not in doubt after the stored answer of a request that an earlier life has sent", () => {
  const stored = answered(new Errors.RateLimitError(status(429)))
  const state = after(fresh, { ...begun, isFirst: false }, stored, begun, sending)
  assert.isFalse(state.isInDoubt)
})

it("a write counts its deadline from the earliest beginning", () => {
  const later = { ...begun, atMillis: nowMillis + minute }
  assert.strictEqual(after(fresh, later, begun).sinceMillis, nowMillis)
  assert.strictEqual(after(fresh, begun, later).sinceMillis, nowMillis)
})

it("a write in doubt is not sent again by a clock that is behind any of its rounds", () => {
  const later = { ...begun, atMillis: nowMillis + 9 * minute }
  const state = after(fresh, begun, sending, lost, later, sending, lost, begun)
  const next = (nowMillis: number) => Doubt.next(state, { ...sending, nowMillis })
  assert.strictEqual(next(later.atMillis - minute)._tag, "Send")
  const { error } = { error: undefined, ...next(later.atMillis - minute - 1) }
  assert.strictEqual(error && Errors.outcome(error), "unknown")
  assert.include(error?.message, "the clock was set back")
})

it.each([
  ["no number", NaN],
  ["more than a minute ahead", nowMillis + minute + 1]
])("a request whose time is %s is not sent again", (_, sentMillis) => {
  const state = after(Doubt.start({ ...fresh, sentMillis }), begun)
  assert.strictEqual(Doubt.next(state, sending)._tag, "Fail")
})
