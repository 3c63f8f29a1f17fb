/** The demo as a process whose environment names another service. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"

it("the demo moves money only on its own sandbox", { timeout: 120_000 }, async () => {
  let requests = 0
  const service = createServer((_, response) => {
    requests++
    response.writeHead(500).end()
  }).listen(0, "127.0.0.1")
  await once(service, "listening")
  const address = service.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/api/v1`
  const demo = spawn(
    process.execPath,
    ["--import", "tsx", fileURLToPath(new URL("../main.ts", import.meta.url))],
    {
      env: {
        ...process.env,
        MANILLA_BASE_URL: url,
        MANILLA_AUTH_URL: url,
        MANILLA_CLIENT_ID: "app_live",
        MANILLA_CLIENT_SECRET: "secret",
        MANILLA_ENVIRONMENT: "LIVE"
      }
    }
  )
  let output = ""
  demo.stdout.on("data", (chunk) => (output += String(chunk)))
  demo.stderr.on("data", (chunk) => (output += String(chunk)))
  const [code] = await once(demo, "close")
  service.close()
  assert.strictEqual(code, 0, output)
  assert.strictEqual(requests, 0)
  assert.include(output, "1 payment was made.")
  assert.match(output, /\nNext\n/)
})
