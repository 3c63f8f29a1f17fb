import * as platform from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import * as cards from "@manilla/cards"
import * as catalogue from "@manilla/catalogue"
import * as core from "@manilla/core"
import * as paymentLinks from "@manilla/payment-links"
import * as payments from "@manilla/payments"
import * as payouts from "@manilla/payouts"
import * as refunds from "@manilla/refunds"
import * as sandbox from "@manilla/sandbox"
import * as ErrorTags from "@manilla/test-support/ErrorTags"
import * as token from "@manilla/token"
import * as transactions from "@manilla/transactions"

const clients = [
  cards,
  catalogue,
  core,
  paymentLinks,
  payments,
  payouts,
  refunds,
  token,
  transactions
]
const own = [...clients, sandbox].flatMap(ErrorTags.tagsIn)

describe("the tags of errors", () => {
  it("are different from those of @effect/platform", () => {
    const others = new Set(ErrorTags.tagsIn(platform))
    for (const tag of ["NotFound", "Unauthorized", "RequestError"]) assert.isTrue(others.has(tag))
    const shared = own.filter((tag) => others.has(tag))
    assert.deepStrictEqual(shared, [])
  })

  it("are different from each other", () => {
    assert.includeMembers([...own], ["PaymentStillPending", "PageError", "ControlError"])
    assert.deepStrictEqual(ErrorTags.repeated(own), [])
  })
})
