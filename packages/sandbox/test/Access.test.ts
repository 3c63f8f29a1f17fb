import { assert, describe } from "@effect/vitest"
import * as BearerTokens from "@manilla/core/BearerTokens"
import type * as Operation from "@manilla/core/Operation"
import * as ServiceApi from "@manilla/service/ServiceApi"
import { collection, key, tests } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import {
  credentialsBody,
  decodeFailure,
  obtain,
  send,
  sendAuthorised,
  tokenUrl
} from "./utils/harness.js"

const test = tests()

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
      test(`${name} needs no token`, function* ({ sandbox: { authUrl } }) {
        assert.strictEqual((yield* send(authUrl + path, { method })).status, 422)
      })
      continue
    }

    test(`${name} needs a token, and ${isScope(access) ? `the scope ${access}` : "no scope"}`, function* ({
      sandbox
    }) {
      for (const authorization of [undefined, "Bearer", "Bearer no.such.token", "Basic eDp5"]) {
        const headers = authorization === undefined ? {} : { authorization }
        const refused = yield* send(sandbox.baseUrl + path, { method, headers })
        assert.strictEqual(refused.status, 401)
        assert.strictEqual(codeOf(refused.text), "UNAUTHENTICATED")
      }
      const scopes = Array.from(ServiceApi.operations.values(), (other) => other.access)
      yield* sandbox.setScopes(scopes.filter(isScope).filter((other) => other !== access))
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
      // Nothing has such an id, and no write such a body.
      const ofRead = path === operation.path ? 200 : 404
      assert.strictEqual(allowed.status, method === "GET" ? ofRead : 422)
    })
  }
})

describe("scopes", () => {
  test("changes apply from the next request, to any token", function* ({ payments, sandbox }) {
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
  })

  tests({ scopes: ["payments.read"] })("are returned with the token", function* () {
    assert.strictEqual((yield* obtain).scope, "payments.read")
  })
})

describe("tokens", () => {
  test("do not contain the secret", function* () {
    const { client_secret } = yield* credentialsBody
    const { access_token } = yield* obtain
    const decoded = Buffer.from(access_token, "base64url").toString()
    assert.notInclude(access_token + decoded, client_secret)
  })
})

describe("the credential", () => {
  test("refuses the old secret and its tokens after a rotation", function* ({ sandbox }) {
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
  })

  test("leaves clients without tokens after a rotation", function* ({ payments, sandbox }) {
    yield* (yield* BearerTokens.BearerTokens).get(Infinity)
    yield* sandbox.rotateSecret
    const error = yield* Effect.flip(payments.create(collection, { key }))
    assert.strictEqual(error._tag, "TokenUnavailableError")
    assert.lengthOf(yield* sandbox.paymentIntents, 0)
  })

  test("must match", function* () {
    const right = yield* credentialsBody
    for (const wrong of [{ client_id: "app_other" }, { client_secret: "guess" }]) {
      const refused = yield* send(yield* tokenUrl, { method: "POST", body: { ...right, ...wrong } })
      assert.strictEqual(refused.status, 401)
    }
  })

  for (const part of ["accountActive", "kybApproved", "applicationActive"] as const) {
    test(`gets 403 for tokens and requests unless ${part}`, function* ({ sandbox }) {
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
    })
  }

  test("invalidates its tokens when it is revoked", function* ({ sandbox }) {
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
  })
})
