import * as OpenApiDocument from "@manilla/sandbox/OpenApiDocument"

const document = OpenApiDocument.make({
  baseUrl: "https://api.example.com/api/v1",
  authUrl: "https://accounts.example.com/api/v1"
})
const operations = Object.keys(document.paths)
