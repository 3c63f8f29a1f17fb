import { assert, describe } from "@effect/vitest"
import * as OpenApiDocument from "@manilla/sandbox/OpenApiDocument"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import * as ServiceApi from "@manilla/service/ServiceApi"
import { tests } from "@manilla/test-support/Sandboxed"
import { send } from "./utils/harness.js"

const test = tests()

const originOf = ({ baseUrl }: Sandbox.Service) => baseUrl.slice(0, -ServiceApi.root.length)

describe("the OpenAPI document", () => {
  test("is served without a token and lists every operation", function* ({ sandbox }) {
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
  })
})

describe("the documentation routes", () => {
  test("bypass the exchange log and faults, on the main gateway only", function* ({ sandbox }) {
    yield* send(`${originOf(sandbox)}/docs`, {})
    yield* send(`${originOf(sandbox)}/openapi.json`, {})
    assert.lengthOf(yield* sandbox.exchanges, 0)
    const account = sandbox.authUrl.slice(0, -ServiceApi.root.length)
    for (const url of [`${account}/docs`, `${sandbox.baseUrl}/docs`]) {
      assert.strictEqual((yield* send(url, {})).status, 404)
    }
  })
})
