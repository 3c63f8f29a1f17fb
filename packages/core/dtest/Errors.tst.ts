import type * as Errors from "@manilla/core/Errors"
import type { IdempotencyKey } from "@manilla/core/IdempotencyKey"
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

  test("a write: errors that say not applied, applied, or unknown", () => {
    expect<Errors.WriteError>().type.toBe<
      | Answered
      | Errors.InvalidRequest
      | Errors.TransportFault
      | Errors.TokenUnavailable
      | Errors.AppliedUnreadable
      | Errors.OutcomeUnknown
    >()
  })

  test("a write never fails with an error that does not say its outcome", () => {
    expect<
      Extract<
        Tag<Errors.WriteError>,
        "Conflict" | "ServerFault" | "UnexpectedStatus" | "TimedOut" | "MalformedResponse"
      >
    >().type.toBe<never>()
  })

  test("a write with a key: the same, with the key, or that the key was used before", () => {
    expect<Tag<Errors.KeyedWriteError>>().type.toBe<Tag<Errors.WriteError> | "KeyReused">()
    type WithKey = Extract<
      Errors.KeyedWriteError,
      { readonly _tag: "OutcomeUnknown" | "AppliedUnreadable" | "KeyReused" }
    >
    expect<WithKey["key"]>().type.toBe<IdempotencyKey>()
  })

  test("an answer with an error status: what the service said", () => {
    expect<Answered["code"]>().type.toBe<string | undefined>()
    expect<Answered["serviceMessage"]>().type.toBe<string | undefined>()
    expect<Errors.MalformedResponse["serviceMessage"]>().type.toBe<string | undefined>()
  })

  test("a token that does not come: any error of its own call", () => {
    expect<Errors.TokenUnavailable["cause"]>().type.toBe<Errors.RequestError | undefined>()
    expect<Errors.ReadError>().type.toBe<Errors.RequestError | Errors.TokenUnavailable>()
  })

  test("an unknown outcome carries what ended it", () => {
    expect<Errors.OutcomeUnknown["cause"]>().type.toBe<Errors.ReadError>()
  })
})
