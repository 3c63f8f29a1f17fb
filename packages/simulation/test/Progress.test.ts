import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import { assert, describe, it } from "vitest"
import * as Outcomes from "../src/invariants/Outcomes.js"
import * as Progress from "../src/invariants/Progress.js"
import * as Sent from "../src/Sent.js"

const request = HttpClientRequest.post("http://service.test/api/v1/payouts")
const call = { startedMillis: 0, endedMillis: 1000 }

/** An attempt that was answered 503. */
const failed = (process: number, closedMillis = call.endedMillis): Sent.Sent => ({
  ...Sent.noteOf(request, { number: 0, process, call: "order-0/1", atMillis: 0, opened: 0 }),
  received: 503,
  closedMillis
})

const mustRetry = (others: ReadonlyArray<Sent.Sent>, budget: number): boolean => {
  const last = failed(0)
  const policy = { ...RetryPolicy.defaults, budget }
  return Progress.mustRetry(call, [last], { policy, sent: [...others, last] })
}

describe("mustRetry", () => {
  it("requires a retry while the budget of the process lasts", () => {
    assert.isTrue(mustRetry([], 1))
    assert.isTrue(mustRetry([failed(0)], 2))
  })

  it("requires no retry when other failures may have spent the budget", () => {
    assert.isFalse(mustRetry([], 0))
    assert.isFalse(mustRetry([failed(0)], 1))
  })

  it("ignores failures in other processes and later failures", () => {
    assert.isTrue(mustRetry([failed(1), failed(0, call.endedMillis + 1)], 1))
  })
})

describe("KeyReused", () => {
  it("needs two responses about another resource", () => {
    const mismatched = { ...failed(0), mismatched: true }
    assert.isTrue(Progress.mayBeReused([mismatched, mismatched]))
    assert.isFalse(Progress.mayBeReused([mismatched, failed(0)]))
  })
})

describe("an interruption in the last step of a call", () => {
  const policy = RetryPolicy.defaults
  const silent = (closedMillis: number): Sent.Sent => ({
    ...failed(0, closedMillis),
    received: undefined
  })

  it("comes with a response, or with the timeout of the attempt", () => {
    assert.isTrue(Outcomes.isLastStep(failed(0, 1000), 1000, { policy }))
    assert.isTrue(Outcomes.isLastStep(silent(30_000), 30_000, { policy }))
  })

  it("does not come in the middle of an attempt, or after it", () => {
    assert.isFalse(Outcomes.isLastStep(silent(1000), 1000, { policy }))
    assert.isFalse(Outcomes.isLastStep(failed(0, 1000), 2000, { policy }))
  })
})

describe("a call with a rejected token", () => {
  const rejected = (call: string, token: string, closedMillis: number, span = call): Sent.Sent => ({
    ...failed(0, closedMillis),
    call,
    span,
    authorization: `Bearer ${token}`,
    received: 401
  })
  const issued = (token: string): Sent.Sent => ({
    ...failed(0, 0),
    path: "/auth/application/token",
    received: 200,
    data: { access_token: token, expires_in: 3600 }
  })
  const own = rejected("order-0/1", "two", 1000)
  const tokens = [issued("one"), issued("two")]

  it.each([
    { title: "tried no second token", sent: [...tokens, own], may: false },
    { title: "tried two", sent: [rejected("order-0/1", "one", 500), own], may: true },
    {
      title: "had the last token rejected soon after another was",
      sent: [...tokens, rejected("order-1/1", "one", 500), own],
      may: true
    },
    {
      title:
        "had the last token rejected soon after another was in the second of two calls of one name",
      sent: [
        ...tokens,
        rejected("", "zero", 100, "first"),
        rejected("", "one", 500, "second"),
        own
      ],
      may: true
    },
    {
      title: "had the last token rejected, with an accepted one between two rejections",
      sent: [issued("one"), issued("good"), issued("two"), rejected("order-1/1", "one", 500), own],
      may: false
    },
    {
      title: "had a token rejected long before its end",
      sent: [...tokens, rejected("order-1/1", "one", 500), own],
      endedMillis: 2001,
      may: false
    },
    {
      title:
        "had the last token rejected, which was rejected long before as the second one of a call",
      sent: [
        ...tokens,
        rejected("order-1/1", "one", 100),
        rejected("order-1/1", "two", 200),
        rejected("order-0/1", "two", 5000)
      ],
      endedMillis: 5000,
      may: true
    },
    { title: "outlived its process", sent: [own], processEndsMillis: 900, may: true }
  ])("that $title: may end so: $may", ({ endedMillis = 1000, may, processEndsMillis, sent }) => {
    const ends = new Map(processEndsMillis === undefined ? [] : [[0, processEndsMillis]])
    const call = { name: "order-0/1", endedMillis }
    assert.strictEqual(Outcomes.mayEndRefused({ processEndsMillis: ends, sent }, call), may)
  })
})
