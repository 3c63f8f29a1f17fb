// Rewrites all generated files. With --check, fails if one is stale.
import { OpenApiDocument } from "@manilla/sandbox"
import { emit } from "./generated.js"

await import("./codegen.js")
await import("./readme.js")
emit("docs/openapi.json", `${JSON.stringify(OpenApiDocument.make(), null, 2)}\n`)
await import("./views.js")
await import("./api.js")
