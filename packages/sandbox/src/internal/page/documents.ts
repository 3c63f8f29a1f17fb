/**
 * The OpenAPI document and the documentation page. They need no token, and neither faults nor the
 * exchange log apply to them.
 */
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as OpenApiDocument from "../../OpenApiDocument.js"
import * as ServiceApi from "../../ServiceApi.js"
import * as docsPage from "./docsPage.js"
import * as html from "./html.js"

export const paths = { openApi: "/openapi.json", page: "/docs" } as const

/** The server URL is relative to the document, so it does not depend on the port. */
const document = Effect.sync(() =>
  HttpServerResponse.unsafeJson(OpenApiDocument.make({ baseUrl: ServiceApi.root }))
)

const page = Effect.sync(() =>
  html.page({
    title: "Payments, Payouts and Virtual Cards: the sandbox",
    body: docsPage.render(paths.openApi)
  })
)

export const routes = [
  HttpRouter.makeRoute("GET", paths.openApi, document),
  HttpRouter.makeRoute("GET", paths.page, page)
]
