/**
 * The page of the sandbox: files of the folder `page` of this package. They contain no state, so they are
 * served to everybody. The page uses the control API, which checks its callers.
 */
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, extname, join } from "node:path"
import * as reply from "../http/reply.js"
import * as refusal from "../rules/refusal.js"
import * as html from "./html.js"

export const path = "/"

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8"
}

/** Found by the package's name, because the bundled command is in another folder than this module. */
const read = (): ReadonlyMap<string, string> => {
  const manifest = createRequire(import.meta.url).resolve("@manilla/sandbox/package.json")
  const folder = join(dirname(manifest), "page")
  return new Map(
    readdirSync(folder)
      .filter((name) => extname(name) in types)
      .map((name) => [name, readFileSync(join(folder, name), "utf8")])
  )
}

/** Read at the first request, so that the sandbox starts without them. */
let files: ReadonlyMap<string, string> | undefined

const file = (name: string) =>
  Effect.suspend(() => {
    files ??= read()
    const text = files.get(name)
    return text === undefined
      ? unknown
      : Effect.succeed(
          HttpServerResponse.text(text, {
            contentType: types[extname(name)] ?? "",
            headers: html.headers({ script: "'self'" })
          })
        )
  })

const unknown = reply.refuse(refusal.notFound("The page has no such file."))

export const routes = [
  HttpRouter.makeRoute("GET", path, file("index.html")),
  HttpRouter.makeRoute(
    "GET",
    "/page/:file",
    Effect.flatMap(HttpRouter.RouteContext, ({ params }) => file(params["file"] ?? ""))
  )
]
