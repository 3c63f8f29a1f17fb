import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as Store from "@manilla/workflow-engine/Store"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { createHash, timingSafeEqual } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import * as operate from "./operations.js"

/** Of the files of the page: none has state, so everybody gets them. The page asks its reader for the token. */
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache"
}

/** The package is found by its name, because a bundled program is in another folder than this module. */
const read = (name: string) =>
  Effect.tryPromise(() => {
    const manifest = createRequire(import.meta.url).resolve("@manilla/workflows/package.json")
    return readFile(join(dirname(manifest), "page", name), "utf8")
  })

const missing =
  "The page is a file of @manilla/workflows, which is not installed beside this program."

const fileRoute = (path: HttpRouter.PathInput, name: string, kind: string) =>
  HttpRouter.makeRoute(
    "GET",
    path,
    Effect.match(read(name), {
      onSuccess: (text) =>
        HttpServerResponse.text(text, { contentType: `text/${kind}; charset=utf-8`, headers }),
      onFailure: () => HttpServerResponse.text(missing, { status: 404 })
    })
  )

const files = [
  fileRoute("/", "index.html", "html"),
  fileRoute("/page/bundle.js", "bundle.js", "javascript"),
  fileRoute("/page/bundle.css", "bundle.css", "css")
]

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
  return HttpRouter.fromIterable([...files, ...calls])
}
