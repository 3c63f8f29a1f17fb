import type * as Errors from "@manilla/core/Errors"
import { describe, expect, test } from "tstyche"

type Answered =
  | Errors.Unauthorized
  | Errors.Forbidden
  | Errors.Unprocessable
  | Errors.BadRequest
  | Errors.NotFound
  | Errors.TooManyRequests

type Tag<E extends { readonly _tag: string }> = E["_tag"]

describe("what a call fails with", () => {
  test("a read: the error itself", () => {
    expect<Errors.ReadError>().type.toBe<
      | Answered
      | Errors.InvalidRequest
      | Errors.Conflict
      | Errors.ServerFault
      | Errors.UnexpectedStatus
      | Errors.TransportFault
      | Errors.TimedOut
      | Errors.MalformedResponse
      | Errors.TokenUnavailable
    >()
  })

  test("a write: what says that it was not applied, that it was, or that nobody knows", () => {
    expect<Errors.WriteError>().type.toBe<
      | Answered
      | Errors.InvalidRequest
      | Errors.TransportFault
      | Errors.TokenUnavailable
      | Errors.AppliedUnreadable
      | Errors.OutcomeUnknown
    >()
  })

  test("a write never fails with an error that leaves its outcome open without saying so", () => {
    expect<
      Extract<
        Tag<Errors.WriteError>,
        "Conflict" | "ServerFault" | "UnexpectedStatus" | "TimedOut" | "MalformedResponse"
      >
    >().type.toBe<never>()
  })

  test("a token that does not come: any error of its own call", () => {
    expect<Errors.TokenUnavailable["cause"]>().type.toBe<Errors.RequestError | undefined>()
    expect<Errors.ReadError>().type.toBe<Errors.RequestError | Errors.TokenUnavailable>()
  })

  test("an unknown outcome carries what ended it", () => {
    expect<Errors.OutcomeUnknown["cause"]>().type.toBe<Errors.ReadError>()
  })
})
