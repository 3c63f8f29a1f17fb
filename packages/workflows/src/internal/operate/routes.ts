import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as Store from "@manilla/workflow-engine/Store"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { createHash, timingSafeEqual } from "node:crypto"
import * as operate from "./operations.js"
import * as page from "./page.js"

const digest = (text: string) => createHash("sha256").update(text).digest()

const textOf = (status: number, message: string) => HttpServerResponse.text(message, { status })

/**
 * The operations of the command under `/workflows`, for a caller with the token. They answer a line of JSON for each
 * row. The page at `/` uses them.
 */
export const make = (store: Store.Store, token: Redacted.Redacted): HttpRouter.HttpRouter => {
  const expected = digest(`Bearer ${Redacted.value(token)}`)
  const calls = Record.collect(operate.operations, (name, operation) =>
    HttpRouter.makeRoute(
      operation.isChange ? "POST" : "GET",
      `/workflows/${name}`,
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (!timingSafeEqual(digest(request.headers["authorization"] ?? ""), expected)) {
          return textOf(401, "the header Authorization must have the token")
        }
        const input = yield* HttpServerRequest.ParsedSearchParams
        const { rows } = yield* operate.run(store, operation, input)
        const lines = Stream.map(rows, (row) => `${JSON.stringify(row)}\n`)
        return HttpServerResponse.stream(Stream.encodeText(lines), {
          contentType: "application/x-ndjson"
        })
      }).pipe(Effect.catchAll(({ message, status }) => Effect.succeed(textOf(status, message))))
    )
  )
  return HttpRouter.fromIterable([...page.routes, ...calls])
}
