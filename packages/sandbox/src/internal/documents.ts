/**
 * What the sandbox serves about itself, outside of the service: the OpenAPI document, and a page to
 * read what the operations are. No token is asked, no fault met, and no exchange written down.
 */
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as OpenApiDocument from "../OpenApiDocument.js"
import * as ServiceApi from "../ServiceApi.js"
import * as docsPage from "./docsPage.js"

export const paths = { openApi: "/openapi.json", page: "/docs" } as const

/** The server is named relative to the document, so the port does not matter. */
const document = Effect.sync(() =>
  HttpServerResponse.unsafeJson(OpenApiDocument.make({ baseUrl: ServiceApi.root }))
)

const page = Effect.sync(() =>
  HttpServerResponse.text(docsPage.render(paths.openApi), {
    contentType: "text/html; charset=utf-8",
    // It loads nothing, from anywhere.
    headers: { "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'" }
  })
)

export const routes = [
  HttpRouter.makeRoute("GET", paths.openApi, document),
  HttpRouter.makeRoute("GET", paths.page, page)
]
