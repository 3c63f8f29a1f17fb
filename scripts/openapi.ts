// Writes docs/openapi.json: the OpenAPI 3.1 document of every declared operation. With --check,
// fails when the file is not what the declarations say.
import { OpenApiDocument } from "@manilla/sandbox"
import { emit } from "./generated.js"

emit("docs/openapi.json", `${JSON.stringify(OpenApiDocument.make(), null, 2)}\n`, "openapi")
