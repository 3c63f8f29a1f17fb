/**
 * Token responses that echo the client secret or other data that must not be shown.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Gateway from "@manilla/core/Gateway"
import * as Test from "@manilla/test-support/Test"
import * as Token from "@manilla/token/Token"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as Observed from "@manilla/test-support/Observed"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as AccountGateway from "./utils/AccountGateway.js"

const { secret } = AccountGateway
const accessToken = "eyJhbGciOi.c2VjcmV0LXRva2Vu.Qm9keQ-2026"

/** The visible output of a refused call with a token of these members. */
const called = (
  members: Record<string, unknown>,
  { refusal = 403, ...options }: Partial<Token.Options> & { readonly refusal?: number } = {}
) =>
  Effect.gen(function* () {
    const tokens = yield* Token.make({
      ...AccountGateway.options,
      retry: { attempts: 1 },
      bodyLimit: 1024 * 1024,
      ...options
    })
    const gateway = yield* Gateway.make({ baseUrl: "https://service.invalid/api/v1" }, tokens)
    const { list } = gateway.calls(AccountGateway.group)
    return yield* Elapsed.during("1 minute", Observed.observe(list({})))
  }).pipe(
    Effect.provideService(
      HttpClient.HttpClient,
      AccountGateway.make(
        () => ({ data: { access_token: accessToken, scope: "payments.read", ...members } }),
        () => refusal
      ).client
    ),
    Effect.scoped
  )

/** Line breaks, escape codes, bidirectional controls and excessive length. */
const hostile = "a\nERROR forged\u2028\u001b[31m\u202e" + "x".repeat(100_000)
const many = "payments.write ".repeat(20_000)

/** A limit on the size of an error. */
const mostCharacters = 10_000

const shows = (observed: Observed.Observed<unknown, unknown>, tag: string) => {
  const { exit, text } = observed
  assert(Exit.isFailure(exit))
  const failure = Option.getOrThrow(Cause.failureOption(exit.cause))
  assert.propertyVal(failure, "_tag", tag)
  assert.isBelow(JSON.stringify(failure).length, mostCharacters)
  assert.deepStrictEqual(Observed.traces(secret, text), [])
  assert.deepStrictEqual(Observed.traces(accessToken, text), [])
  assert.notInclude(text, "\nERROR forged")
  assert.notMatch(text.replaceAll("\n", ""), /[\p{Cc}\u202e\u2028]/u)
}

const texts: Readonly<Record<string, string>> = {
  "the client secret": secret,
  "the client secret between scopes": `payments.write ${secret} refunds.read`,
  "the client secret in pieces": `payments.write ${secret.slice(0, 12)} ${secret.slice(10)}`,
  "the token": accessToken,
  "line breaks, escape codes and excessive length": hostile,
  "too many scopes": many,
  "a scope that is too long": `payments.${"x".repeat(100_000)}`
}

const places: Readonly<
  Record<string, readonly [tag: string, of: (text: string) => Parameters<typeof called>]>
> = {
  "the scope of a forbidden call": ["ForbiddenError", (text) => [{ scope: text }]],
  "the environment of a forbidden call": ["ForbiddenError", (text) => [{ environment: text }]],
  "the wrong environment": [
    "TokenUnavailableError",
    (text) => [{ environment: text }, { environment: "LIVE" }]
  ],
  "a scope of the wrong type": [
    "TokenUnavailableError",
    (text) => [{ scope: [text], token_type: { [text]: text } }]
  ],
  "the scope of an unauthorized call": [
    "UnauthorizedError",
    (text) => [{ scope: text, environment: text }, { refusal: 401 }]
  ]
}

for (const [what, text] of Object.entries(texts)) {
  describe(`${what} in a token response`, () => {
    for (const [place, [tag, argumentsOf]] of Object.entries(places)) {
      it.scoped(`as ${place} is not shown in ${tag}`, () =>
        Effect.map(called(...argumentsOf(text)), (observed) => shows(observed, tag))
      )
    }
  })
}

Test.effect("valid scopes are still shown", function* () {
  const { text } = yield* called({ scope: "payments.write refunds.read" })
  assert.include(text, "The operation requires the scope payments.read")
  assert.include(text, "payments.write refunds.read")
})
