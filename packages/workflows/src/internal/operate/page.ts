/**
 * The page of a runner: files of the folder `page` of this package. They contain no state, so they are served to
 * everybody. The page asks its reader for the token, and reads the operations with it.
 */
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

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

const route = (path: HttpRouter.PathInput, name: string, kind: string) =>
  HttpRouter.makeRoute(
    "GET",
    path,
    Effect.match(read(name), {
      onSuccess: (text) =>
        HttpServerResponse.text(text, { contentType: `text/${kind}; charset=utf-8`, headers }),
      onFailure: () => HttpServerResponse.text(missing, { status: 404 })
    })
  )

export const routes = [
  route("/", "index.html", "html"),
  route("/page/bundle.js", "bundle.js", "javascript"),
  route("/page/bundle.css", "bundle.css", "css")
]
