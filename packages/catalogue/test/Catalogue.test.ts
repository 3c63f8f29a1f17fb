import { assert, describe, it } from "@effect/vitest"
import * as AvailableService from "@manilla/catalogue/AvailableService"
import * as Catalogue from "@manilla/catalogue/Catalogue"
import * as Gateway from "@manilla/core/Gateway"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const momo = {
  country: { code: "BJ", name: "Bénin" },
  currency: { code: "XOF", name: "CFA franc" },
  operation: "COLLECTION",
  payment_method: "mtn_momo",
  available: true
}
const down = { ...momo, payment_method: "moov_money", available: false }
const payout = { ...momo, operation: "PAYOUT" }
const abroad = {
  ...momo,
  country: { code: "CM", name: "Cameroun" },
  currency: { code: "XAF", name: "CFA franc" }
}
const whole = { environment: "SANDBOX", services: [momo, down, payout, abroad] }

const over = (reaction: FakeService.Reaction) =>
  Effect.gen(function* () {
    const { gateway, received } = yield* FakeService.make([reaction], { retry: { attempts: 1 } })
    const catalogue = yield* Effect.provideService(Catalogue.make, Gateway.Gateway, gateway)
    return { catalogue, received }
  })

const { answer } = FakeService

describe("list", () => {
  Test.effect("returns the whole catalogue", function* () {
    const { catalogue, received } = yield* over(answer(whole))
    assert.deepStrictEqual<unknown>(yield* catalogue.list(), whole)
    const requests = received.map(({ method, url }) => `${method} ${url}`)
    assert.deepStrictEqual(requests, ["GET https://service.invalid/api/v1/services"])
  })

  Test.effect("is not cached", function* () {
    const { catalogue, received } = yield* over(answer(whole))
    yield* Effect.repeatN(catalogue.list(), 2)
    assert.strictEqual(received.length, 3)
  })

  Test.effect("fails with a read error that names no scope", function* () {
    const { catalogue } = yield* over(FakeService.failure(403))
    const error = yield* Effect.flip(catalogue.list())
    assert(error._tag === "ForbiddenError")
    assert.strictEqual(error.requiredScope, undefined)
  })

  Test.effect("names the row that does not match the schema", function* () {
    const { catalogue } = yield* over(answer({ services: [momo, { ...momo, available: "yes" }] }))
    const error = yield* Effect.flip(catalogue.list())
    assert(error._tag === "MalformedResponseError")
    assert.deepStrictEqual(FakeService.fieldsOf(error), ["data.services.1.available"])
    // It cannot show that it belongs to another request, so that a repetition would be the same.
    assert.strictEqual(error.reason, "DataMisfit")
  })

  Test.effect("limits the number of issues in the error", function* () {
    const services = Array.from({ length: 5000 }, () => ({}))
    const { catalogue } = yield* over(answer({ services }))
    const error = yield* Effect.flip(catalogue.list())
    assert.isBelow(JSON.stringify(error).length, 5000)
  })
})

describe("available", () => {
  for (const [what, wanted, expected] of [
    ["no filter", {}, [momo, payout, abroad]],
    ["a country", { country: "BJ" }, [momo, payout]],
    ["a currency", { currency: "XAF" }, [abroad]],
    ["an operation", { operation: "PAYOUT" }, [payout]],
    ["an unavailable method", { payment_method: "moov_money" }, []],
    ["all filters", { country: "BJ", currency: "XOF", operation: "COLLECTION" }, [momo]],
    ["undefined members", { country: undefined, currency: "XAF" }, [abroad]],
    ["an unknown country", { country: "FR" }, []],
    ["another spelling", { country: "bj" }, []],
    ["an empty string", { country: "" }, []]
  ] as const) {
    Test.effect(`with ${what}`, function* () {
      const { catalogue } = yield* over(answer(whole))
      assert.deepStrictEqual<unknown>(yield* catalogue.available(wanted), expected)
    })
  }
})

it("a list may have rows without names, and no environment", () => {
  const bare = { ...momo, country: { code: "BJ" }, currency: { code: "XOF" } }
  for (const list of [{ services: [bare] }, { services: [] }]) {
    const decoded = Schema.decodeUnknownSync(AvailableService.ServiceList)(list)
    assert.deepStrictEqual<unknown>(decoded, list)
  }
})
