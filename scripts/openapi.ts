// Generates docs/openapi.json, the OpenAPI 3.1 document of all declared operations. With --check, fails
// if the file is stale.
import { OpenApiDocument } from "@manilla/sandbox"
import { emit } from "./generated.js"

emit("docs/openapi.json", `${JSON.stringify(OpenApiDocument.make(), null, 2)}\n`)
