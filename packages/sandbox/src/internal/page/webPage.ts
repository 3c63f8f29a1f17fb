/**
 * The pages of the sandbox: files of the folder `page` of this package. They contain no state, so they are served to
 * everybody. The page at `/` uses the control API, which checks its callers, and `/docs` the OpenAPI document.
 */
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as OpenApiDocument from "../../OpenApiDocument.js"
import * as ServiceApi from "@manilla/service/ServiceApi"
import { Incoming } from "../http/incoming.js"
import * as reply from "../http/reply.js"
import * as refusal from "../rules/refusal.js"

export const paths = { main: "/", docs: "/docs", openApi: "/openapi.json" } as const

const headers = {
  "content-security-policy":
    `default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self';
 img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script';
 trusted-types 'none'`.replaceAll("\n", ""),
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "same-origin",
  "cache-control": "no-cache"
}

export const file = (name: string) => {
  const [, kind] = /^\w+\.(css|html|js)$/.exec(name) ?? []
  if (kind === undefined) return unknown
  const contentType = `text/${kind === "js" ? "javascript" : kind}; charset=utf-8`
  return Effect.flatMap(Incoming, ({ controls }) => controls.readPage?.(name) ?? absent).pipe(
    Effect.map((text) => HttpServerResponse.text(text, { contentType, headers })),
    Effect.orElse(() => unknown)
  )
}

const absent = Effect.fail("a sandbox in process has no files")

const unknown = reply.refuse(refusal.notFound("The page has no such file."))

/** The server URL is relative to the document, so it does not depend on the port. */
const document = Effect.sync(() =>
  HttpServerResponse.unsafeJson(OpenApiDocument.make({ baseUrl: ServiceApi.root }))
)

/** They need no token, and neither faults nor the exchange log apply to them. */
export const routes = [
  HttpRouter.makeRoute("GET", paths.main, file("index.html")),
  HttpRouter.makeRoute("GET", paths.docs, file("docs.html")),
  HttpRouter.makeRoute("GET", paths.openApi, document),
  HttpRouter.makeRoute(
    "GET",
    "/page/:file",
    Effect.flatMap(HttpRouter.RouteContext, ({ params }) => file(params["file"] ?? ""))
  )
]
