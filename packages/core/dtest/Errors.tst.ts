import type * as Errors from "@manilla/core/Errors"
import type { IdempotencyKey } from "@manilla/core/IdempotencyKey"
import { describe, expect, test } from "tstyche"

type Answered =
  | Errors.UnauthorizedError
  | Errors.ForbiddenError
  | Errors.UnprocessableError
  | Errors.BadRequestError
  | Errors.NotFoundError
  | Errors.RateLimitError

type Tag<E extends { readonly _tag: string }> = E["_tag"]

describe("what a call fails with", () => {
  test("a read: the error itself", () => {
    expect<Errors.ReadError>().type.toBe<
      | Answered
      | Errors.InvalidRequestError
      | Errors.ConflictError
      | Errors.ServerError
      | Errors.UnexpectedStatusError
      | Errors.TransportError
      | Errors.TimeoutError
      | Errors.MalformedResponseError
      | Errors.TokenUnavailableError
    >()
  })

  test("a write: errors that say not applied, applied, or unknown", () => {
    expect<Errors.WriteError>().type.toBe<
      | Answered
      | Errors.InvalidRequestError
      | Errors.TransportError
      | Errors.TokenUnavailableError
      | Errors.UnkeyedAppliedUnreadable
      | Errors.UnkeyedOutcomeUnknown
    >()
  })

  test("a write with a key: the same, with the key, or that the key was used before", () => {
    expect<Tag<Errors.KeyedWriteError>>().type.toBe<
      | Exclude<Tag<Errors.WriteError>, `Unkeyed${string}`>
      | "OutcomeUnknown"
      | "AppliedUnreadable"
      | "KeyReused"
    >()
    type Keyed = Extract<
      Errors.KeyedWriteError,
      { readonly _tag: "OutcomeUnknown" | "AppliedUnreadable" | "KeyReused" }
    >
    expect<Keyed["key"]>().type.toBe<IdempotencyKey>()
  })

  test("an unknown outcome that is built by hand is an error of a write with a key", () => {
    expect<Errors.OutcomeUnknown>().type.toBeAssignableTo<Errors.KeyedWriteError>()
    expect<
      ConstructorParameters<typeof Errors.OutcomeUnknown>[0]["key"]
    >().type.toBe<IdempotencyKey>()
  })

  test("an answer with an error status: what the service said", () => {
    expect<Answered["code"]>().type.toBe<string | undefined>()
    expect<Answered["serviceMessage"]>().type.toBe<string | undefined>()
    expect<Errors.MalformedResponseError["serviceMessage"]>().type.toBe<string | undefined>()
  })

  test("a token that does not come: any error of its own call", () => {
    expect<Errors.TokenUnavailableError["cause"]>().type.toBe<Errors.RequestError | undefined>()
    expect<Errors.ReadError>().type.toBe<Errors.RequestError | Errors.TokenUnavailableError>()
  })

  test("an unknown outcome carries what ended it", () => {
    expect<Errors.OutcomeUnknown["cause"]>().type.toBe<Errors.ReadError>()
  })
})
