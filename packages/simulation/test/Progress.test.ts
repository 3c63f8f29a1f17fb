import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import { assert, describe, it } from "vitest"
import * as Progress from "../src/invariants/Progress.js"
import * as Sent from "../src/Sent.js"

const request = HttpClientRequest.post("http://service.test/api/v1/payouts")
const call = { startedMillis: 0, endedMillis: 1000 }

/** One that is answered 503. */
const failed = (process: number, closedMillis = call.endedMillis): Sent.Sent => ({
  ...Sent.noteOf(request, { number: 0, process, call: "order-0/1", atMillis: 0, opened: 0 }),
  heard: 503,
  closedMillis
})

const isTriedAgain = (others: ReadonlyArray<Sent.Sent>, budget: number): boolean => {
  const last = failed(0)
  const policy = { ...RetryPolicy.defaults, budget }
  return Progress.isTriedAgain(call, [last], { policy, sent: [...others, last] })
}

describe("what failed with attempts and time left", () => {
  it("is tried again while the budget of its process lasts", () => {
    assert.isTrue(isTriedAgain([], 1))
    assert.isTrue(isTriedAgain([failed(0)], 2))
  })

  it("may be given up when others may have spent the budget", () => {
    assert.isFalse(isTriedAgain([], 0))
    assert.isFalse(isTriedAgain([failed(0)], 1))
  })

  it("is held to it whatever failed in other processes, or later", () => {
    assert.isTrue(isTriedAgain([failed(1), failed(0, call.endedMillis + 1)], 1))
  })
})
