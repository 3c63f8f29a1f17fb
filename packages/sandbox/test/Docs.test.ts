import { assert, describe, it } from "@effect/vitest"
import * as OpenApiDocument from "@manilla/sandbox/OpenApiDocument"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as ServiceApi from "@manilla/service/ServiceApi"
import { layer } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import { send } from "./utils/harness.js"

const originOf = ({ baseUrl }: Sandbox.Service) => baseUrl.slice(0, -ServiceApi.root.length)

describe("the OpenAPI document", () => {
  it.effect("is served without a token and lists every operation", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { headers, status, text } = yield* send(`${originOf(sandbox)}/openapi.json`, {})
      assert.strictEqual(status, 200)
      assert.match(headers["content-type"] ?? "", /^application\/json/)
      const document = OpenApiDocument.make({ baseUrl: ServiceApi.root })
      assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(document)))
      for (const [name, { method, path }] of ServiceApi.operations) {
        const described = document.paths[path.replace(/:(\w+)/g, "{$1}")]
        assert.include(JSON.stringify(described), `"operationId":"${name}"`)
        assert.property(described, method.toLowerCase())
      }
    }).pipe(Effect.provide(layer()))
  )
})

describe("the documentation routes", () => {
  it.effect("bypass the exchange log and faults, on the main gateway only", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      yield* send(`${originOf(sandbox)}/docs`, {})
      yield* send(`${originOf(sandbox)}/openapi.json`, {})
      assert.lengthOf(yield* sandbox.exchanges, 0)
      const account = sandbox.authUrl.slice(0, -ServiceApi.root.length)
      for (const url of [`${account}/docs`, `${sandbox.baseUrl}/docs`]) {
        assert.strictEqual((yield* send(url, {})).status, 404)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.live("are served on sockets", () =>
    Effect.gen(function* () {
      const sandbox = yield* SandboxServer.make()
      for (const path of ["/docs", "/openapi.json"]) {
        const response = yield* Effect.promise(() => fetch(originOf(sandbox) + path))
        assert.strictEqual(response.status, 200)
        assert.isAbove((yield* Effect.promise(() => response.text())).length, 500)
      }
    }).pipe(Effect.scoped)
  )
})
