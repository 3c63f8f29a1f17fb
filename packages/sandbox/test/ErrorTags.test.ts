/**
 * Error tags must be unique, because errors of several packages can meet in one `catchTag` or in an
 * `HttpApi`.
 */
import * as Platform from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import * as Pagination from "@manilla/core/Pagination"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Refunds from "@manilla/refunds/Refunds"
import * as Predicate from "effect/Predicate"

const tagOf = (value: unknown): unknown =>
  Predicate.hasProperty(value, "_tag") ? value._tag : undefined

/** The tag is a static member of some classes, and an instance member of others. */
const tagOfClass = (value: unknown): unknown => {
  if (!Predicate.isFunction(value) || tagOf(value) !== undefined) return tagOf(value)
  try {
    return tagOf(Reflect.construct(value, [{}]))
  } catch {
    return undefined
  }
}

/** The tags of the error classes that a module exports. */
const tagsIn = (module: object): ReadonlyArray<string> =>
  Object.values(module).map(tagOfClass).filter(Predicate.isString)

const own = [Errors, Pagination, PaymentLinks, Payments, Payouts, Refunds].flatMap(tagsIn)

describe("the tags of errors", () => {
  it("are different from those of @effect/platform", () => {
    const others = new Set(Object.values(Platform).flatMap(tagsIn))
    for (const tag of ["NotFound", "Unauthorized", "RequestError"]) assert.isTrue(others.has(tag))
    assert.deepStrictEqual(
      own.filter((tag) => others.has(tag)),
      []
    )
  })

  it("are different from each other, except those of writes without a key", () => {
    assert.include(own, "PaymentStillPending")
    const twice = own.filter((tag, index) => own.indexOf(tag) !== index)
    assert.deepStrictEqual(twice.sort(), ["AppliedUnreadable", "OutcomeUnknown"])
  })
})
