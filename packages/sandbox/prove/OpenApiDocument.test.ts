import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe } from "@effect/vitest"

import * as OpenApiDocument from "@manilla/sandbox/OpenApiDocument"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { fileURLToPath } from "node:url"
import openapiTS, { astToString } from "openapi-typescript"
import * as node from "./utils/node.js"

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const written = new URL("../../../docs/openapi.json", import.meta.url)
const redocly = fromHere("../node_modules/@redocly/cli/bin/cli.js")
const tsc = fromHere("../../../node_modules/typescript/bin/tsc")

/** Runs a program, which must succeed, and returns its output. */
const run = (...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const { code, stderr, stdout } = await node.run(args)
    assert.strictEqual(code, 0, stdout + stderr)
    return stdout
  })

/** A directory from which the dependencies of this package can be imported. */
const temporary = Effect.flatMap(FileSystem.FileSystem, (fs) =>
  fs.makeTempDirectoryScoped({ directory: fromHere(".."), prefix: ".temporary-" })
)

const Printed = Schema.parseJson(
  Schema.Struct({
    id: Schema.String,
    read: Schema.String,
    refused: Schema.Array(
      Schema.Struct({ status: Schema.Number, code: Schema.String, correlationId: Schema.String })
    )
  })
)

describe("the OpenAPI document", () => {
  Test.over(NodeContext.layer).live(
    "passes Redocly's lint: the file, the served document and the one of the control API",
    function* () {
      const directory = yield* temporary
      const { writeFileString } = yield* FileSystem.FileSystem
      const served = `${directory}/openapi.json`
      const document = OpenApiDocument.make({ baseUrl: ServiceApi.root })
      yield* writeFileString(served, JSON.stringify(document))
      const control = `${directory}/control.json`
      yield* writeFileString(control, JSON.stringify(OpenApiDocument.control()))
      const config = fromHere("../../../redocly.yaml")
      yield* run(redocly, "lint", "--config", config, fileURLToPath(written), served, control)
    }
  )

  Test.over(NodeContext.layer).live(
    "generates a client that compiles, pays and reads refusals",
    function* () {
      const project = yield* temporary
      const fs = yield* FileSystem.FileSystem
      yield* fs.copy(fromHere("client"), project, { overwrite: true })
      const generated = yield* Effect.promise(() => openapiTS(written))
      yield* fs.writeFileString(`${project}/service.ts`, astToString(generated))
      yield* run(tsc, "-p", project)

      const sandbox = yield* SandboxServer.make()
      const { client_id: clientId, client_secret: clientSecret } = yield* sandbox.credentials
      const printed = yield* run(
        `${project}/main.js`,
        sandbox.baseUrl,
        sandbox.authUrl,
        clientId,
        Redacted.value(clientSecret)
      )
      const { id, read, refused } = yield* Schema.decodeUnknown(Printed)(printed)
      assert.deepStrictEqual(
        (yield* sandbox.paymentIntents).map((intent) => intent.id),
        [id]
      )
      assert.strictEqual(read, id)
      assert.deepStrictEqual(
        refused.map(({ code, status }) => `${status} ${code}`),
        [
          "422 VALIDATION_FAILED",
          "404 NOT_FOUND",
          "422 VALIDATION_FAILED",
          "401 INVALID_CREDENTIALS"
        ]
      )
    }
  )
})
