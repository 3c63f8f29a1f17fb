import { assert, describe, it } from "@effect/vitest"
import * as catalogue from "../src/internal/service/catalogue.js"
import * as listed from "../src/internal/rules/listed.js"

const service = {
  country: "BJ",
  currency: "XOF",
  payment_method: "mtn_momo",
  operation: "COLLECTION"
}

describe("a service", () => {
  it.each([
    [{}, undefined],
    // It is listed, though it is not available.
    [{ payment_method: "celtiis_cash", operation: "PAYOUT" }, undefined],
    [
      { payment_method: "mtn-momo" },
      `payment_method "mtn-momo" is not in the catalogue of Benin; did you mean mtn_momo?`
    ],
    [
      { payment_method: "MTN MOMO" },
      `payment_method "MTN MOMO" is not in the catalogue of Benin; did you mean mtn_momo?`
    ],
    [
      { payment_method: "wave" },
      `payment_method "wave" is not in the catalogue of Benin; it has mtn_momo, moov_money, celtiis_cash`
    ],
    [
      { payment_method: "\u001b[31mred" },
      String.raw`payment_method "\u001b[31mred" is not in the catalogue of Benin; it has mtn_momo, moov_money, celtiis_cash`
    ],
    [{ currency: "CFA" }, `currency "CFA" is not in the catalogue of Benin; it has XOF`],
    [{ country: "XX" }, `country "XX" is not in the catalogue; it has BJ, CI, SN, TG, BF`],
    [
      { operation: "WITHDRAWAL" },
      `operation "WITHDRAWAL" is not in the catalogue of Benin; it has COLLECTION, DEPOSIT, PAYOUT`
    ]
  ])("of %o", (changes, warning) => {
    const found = listed.service(catalogue.services, { ...service, ...changes })
    const warnings = found.map((one) => one.warning)
    assert.deepStrictEqual(warnings, warning === undefined ? [] : [warning])
    // A refusal has the rule, and no value of the request.
    for (const { rule } of found) assert.notInclude(rule, `"`)
  })

  it("has each of its values in a warning of its own", () => {
    const requested = { ...service, currency: "CFA", payment_method: "mtn-momo" }
    assert.deepStrictEqual(
      listed.service(catalogue.services, requested).map(({ field }) => field),
      ["currency", "payment_method"]
    )
  })
})

describe("a phone number", () => {
  it.each([
    ["+2290100000000", true],
    ["+229 01 00-00.00 (00)", true],
    ["22901000000", true],
    ["+999000000006", true],
    ["abc", false],
    ["", false],
    ["+229", false],
    ["1234567", false],
    ["12345678", true],
    ["+229010000000000", true],
    ["+2290100000000000", false],
    ["+229\u001b0100000000", false]
  ])("%j: %s", (text, isPhone) => {
    assert.strictEqual(listed.phone("destination", text) === undefined, isPhone)
  })

  it("is in no warning", () => {
    assert.strictEqual(
      listed.phone("destination", "abc")?.warning,
      "destination is not a phone number with its country code, such as +2290100000000"
    )
  })
})
