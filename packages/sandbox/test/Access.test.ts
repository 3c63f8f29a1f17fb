import { assert, describe, it } from "@effect/vitest"
import * as BearerTokens from "@manilla/core/BearerTokens"
import type * as Operation from "@manilla/core/Operation"
import * as Payments from "@manilla/payments/Payments"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as ServiceApi from "@manilla/service/ServiceApi"
import { collection, key, layer } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import {
  credentialsBody,
  decodeFailure,
  obtain,
  send,
  sendAuthorised,
  tokenUrl
} from "./utils/harness.js"

const codeOf = (text: string) => decodeFailure(text).data.error.code

/** A request with a valid path and nothing else. */
const targetOf = ({ method, path }: Operation.Operation) => ({
  method,
  path: path.replace(/:[A-Za-z]+/g, "00000000-0000-4000-8000-000000000000")
})

const isScope = (access: Operation.Access): access is Operation.Scope =>
  access !== "bearer" && access !== "credentials"

describe("every operation", () => {
  for (const [name, operation] of ServiceApi.operations) {
    const { access } = operation
    const { method, path } = targetOf(operation)

    if (access === "credentials") {
      it.effect(`${name} needs no token`, () =>
        Effect.gen(function* () {
          const { authUrl } = yield* Sandbox.Sandbox
          assert.strictEqual((yield* send(authUrl + path, { method })).status, 422)
        }).pipe(Effect.provide(layer()))
      )
      continue
    }

    it.effect(
      `${name} needs a token, and ${isScope(access) ? `the scope ${access}` : "no scope"}`,
      () =>
        Effect.gen(function* () {
          const sandbox = yield* Sandbox.Sandbox
          for (const authorization of [undefined, "Bearer", "Bearer no.such.token", "Basic eDp5"]) {
            const headers = authorization === undefined ? {} : { authorization }
            const refused = yield* send(sandbox.baseUrl + path, { method, headers })
            assert.strictEqual(refused.status, 401)
            assert.strictEqual(codeOf(refused.text), "UNAUTHENTICATED")
          }
          yield* sandbox.setScopes([])
          const without = yield* sendAuthorised(path, { method })
          if (isScope(access)) {
            // The scope is checked before the body, and the refusal names it.
            assert.strictEqual(without.status, 403)
            assert.deepStrictEqual(decodeFailure(without.text).data.error.details, {
              required_scope: access
            })
            yield* sandbox.setScopes([access])
          }
          const allowed = yield* sendAuthorised(path, { method })
          assert.include([200, 404, 422], allowed.status)
        }).pipe(Effect.provide(layer()))
    )
  }
})

describe("scopes", () => {
  it.effect("changes apply from the next request, also to issued tokens", () =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const sandbox = yield* Sandbox.Sandbox
      yield* payments.create(collection, { key })
      yield* sandbox.setScopes(["payments.read"])
      const error = yield* Effect.flip(payments.create(collection, { key }))
      assert.strictEqual(error._tag, "ForbiddenError")
      yield* sandbox.setScopes(["payments.read", "payments.write"])
      yield* payments.create(collection, { key })
      const tokens = (yield* sandbox.exchanges).filter(
        ({ operation }) => operation === "Token.obtain"
      )
      assert.lengthOf(tokens, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("are returned with the token", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* obtain).scope, "payments.read")
    }).pipe(Effect.provide(layer({ scopes: ["payments.read"] })))
  )
})

describe("tokens", () => {
  it.effect("expire", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Sandbox.Sandbox
      const { access_token } = yield* obtain
      const list = send(`${baseUrl}/services`, {
        headers: { authorization: `Bearer ${access_token}` }
      })
      yield* TestClock.adjust("3599 seconds")
      assert.strictEqual((yield* list).status, 200)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* list).status, 401)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("are renewed silently by the client after revocation", () =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const sandbox = yield* Sandbox.Sandbox
      const { id } = yield* payments.create(collection, { key })
      yield* sandbox.revokeTokens
      yield* payments.get(id)
      assert.deepStrictEqual(
        (yield* sandbox.exchanges).map(({ operation, ending }) => [operation, ending]),
        [
          ["Token.obtain", 200],
          ["Payments.create", 201],
          ["Payments.get", 401],
          ["Token.obtain", 200],
          ["Payments.get", 200]
        ]
      )
    }).pipe(Effect.provide(layer()))
  )

  it.effect("do not contain the secret", () =>
    Effect.gen(function* () {
      const { client_secret } = yield* credentialsBody
      const { access_token } = yield* obtain
      const decoded = Buffer.from(access_token, "base64url").toString()
      assert.notInclude(access_token + decoded, client_secret)
    }).pipe(Effect.provide(layer()))
  )
})

describe("the credential", () => {
  it.effect("refuses the old secret and its tokens after a rotation", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const old = yield* credentialsBody
      const { access_token } = yield* obtain
      const rotated = yield* sandbox.rotateSecret
      assert.notStrictEqual(Redacted.value(rotated.client_secret), old.client_secret)

      const list = yield* send(`${sandbox.baseUrl}/services`, {
        headers: { authorization: `Bearer ${access_token}` }
      })
      assert.strictEqual(list.status, 401)
      const refused = yield* send(yield* tokenUrl, { method: "POST", body: old })
      assert.strictEqual(refused.status, 401)
      assert.strictEqual(codeOf(refused.text), "INVALID_CREDENTIALS")
      const renewed = yield* send(yield* tokenUrl, { method: "POST", body: yield* credentialsBody })
      assert.strictEqual(renewed.status, 200)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("leaves a client without tokens after a rotation, and nothing is applied", () =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const sandbox = yield* Sandbox.Sandbox
      yield* (yield* BearerTokens.BearerTokens).get(Infinity)
      yield* sandbox.rotateSecret
      const error = yield* Effect.flip(payments.create(collection, { key }))
      assert.strictEqual(error._tag, "TokenUnavailableError")
      assert.lengthOf(yield* sandbox.paymentIntents, 0)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("must match", () =>
    Effect.gen(function* () {
      const right = yield* credentialsBody
      for (const wrong of [{ client_id: "app_other" }, { client_secret: "guess" }]) {
        const refused = yield* send(yield* tokenUrl, {
          method: "POST",
          body: { ...right, ...wrong }
        })
        assert.strictEqual(refused.status, 401)
      }
    }).pipe(Effect.provide(layer()))
  )

  for (const part of ["accountActive", "kybApproved", "applicationActive"] as const) {
    it.effect(`gets 403 for tokens and requests unless ${part}`, () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        const { access_token } = yield* obtain
        yield* sandbox.setStanding({ [part]: false })
        const list = send(`${sandbox.baseUrl}/services`, {
          headers: { authorization: `Bearer ${access_token}` }
        })
        const token = yield* send(yield* tokenUrl, { method: "POST", body: yield* credentialsBody })
        assert.deepStrictEqual([(yield* list).status, token.status], [403, 403])
        assert.strictEqual(codeOf(token.text), "ACCOUNT_STATE")
        yield* sandbox.setStanding({ [part]: true })
        assert.strictEqual((yield* list).status, 200)
      }).pipe(Effect.provide(layer()))
    )
  }

  it.effect("invalidates its tokens when it is revoked", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { access_token } = yield* obtain
      yield* sandbox.setStanding({ credentialActive: false })
      const list = send(`${sandbox.baseUrl}/services`, {
        headers: { authorization: `Bearer ${access_token}` }
      })
      assert.strictEqual((yield* list).status, 401)
      const token = yield* send(yield* tokenUrl, { method: "POST", body: yield* credentialsBody })
      assert.strictEqual(token.status, 403)
      yield* sandbox.setStanding({ credentialActive: true })
      assert.strictEqual((yield* list).status, 401)
    }).pipe(Effect.provide(layer()))
  )
})
