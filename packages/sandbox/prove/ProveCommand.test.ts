/**
 * `manilla-sandbox prove`, with small servers of Node alone: what it finds, what it writes, and how it fails.
 */
import { execFile, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, beforeAll, afterAll, describe, it, vi } from "vitest"
import * as command from "./utils/command.js"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "manilla-prove-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A checkout that stores nothing, and derives its key from the order, or makes a new one for each request. */
const server = `
import { createServer } from "node:http"
const { FIRST_STATUS = 200, MANILLA_AUTH_URL, MANILLA_BASE_URL, MANILLA_CLIENT_ID, MANILLA_CLIENT_SECRET, NEW_KEY, PORT, SILENT, STUCK } = process.env
const call = async (method, url, body, headers) => {
  const response = await fetch(url, {
    method, headers: { "content-type": "application/json", ...headers }, body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(400)
  })
  if (response.status >= 400) throw new Error(response.status)
  return (await response.json()).data
}
const pay = async (order) => {
  const { access_token } = await call("POST", MANILLA_AUTH_URL + "/auth/application/token",
    { client_id: MANILLA_CLIENT_ID, client_secret: MANILLA_CLIENT_SECRET })
  const authorization = "Bearer " + access_token
  const { amount, id } = await call("POST", MANILLA_BASE_URL + "/payments", {
    country: "BJ", amount: "1500", currency: "XOF", operation: "COLLECTION", payment_method: "mtn_momo",
    payer: { phone_number: "+2290161234567" }
  }, { authorization, "idempotency-key": NEW_KEY ? crypto.randomUUID() : order })
  if (amount !== "1500.0000") return "review"
  const read = await call("GET", MANILLA_BASE_URL + "/payments/" + id, undefined, { authorization })
  if (read.id !== id) return "open"
  return { COMPLETED: "paid", PENDING: "open" }[read.status] ?? "review"
}
let requests = 0
createServer(async (request, response) => {
  const order = request.url.slice(1)
  const state = SILENT ? "open" : await pay(order).catch(() => "open")
  if (requests++ === 0) response.statusCode = Number(FIRST_STATUS)
  response.end(JSON.stringify({ order: { state: STUCK ? "open" : state } }))
}).listen(PORT, "127.0.0.1")
`

const freePort = () =>
  new Promise<number>((resolve) => {
    const held = createServer().listen(0, "127.0.0.1", () => {
      const { port } = held.address() as AddressInfo
      held.close(() => resolve(port))
    })
  })

interface Changes {
  readonly command?: string
  readonly env?: string
  readonly more?: string
  readonly paid?: string
  readonly port?: number
}

const proofOf = async (changes: Changes = {}) => {
  const port = changes.port ?? (await freePort())
  const file = join(folder, `proof-${port}.yaml`)
  writeFileSync(join(folder, "server.mjs"), server)
  const url = `http://127.0.0.1:${port}/{order}`
  writeFileSync(
    file,
    `command: ${changes.command ?? "exec node server.mjs"}
env: { PORT: ${port}${changes.env ?? ""} }
request: { method: GET, url: "${url}" }
told: { url: "${url}", path: order.state, paid: [${changes.paid ?? "paid"}], not_paid: [refused], open: [open], review: [review] }
deadline: 500 millis
lasts: 1 second
pairs: 0
${changes.more ?? ""}`
  )
  return file
}

const prove = (...args: ReadonlyArray<string>) => command.run(["prove", ...args])

/** The servers that run, found by the folder in which they were started. */
const left = () =>
  new Promise<string>((resolve) =>
    execFile("sh", ["-c", `ls -l /proc/[0-9]*/cwd 2>/dev/null | grep -c ${folder}`], (_, stdout) =>
      resolve(stdout.trim())
    )
  )

describe("a server", () => {
  it("that sends a new key for each request charges twice, and the reports say so", async () => {
    const [html, junit] = [join(folder, "proof.html"), join(folder, "proof.xml")]
    const file = await proofOf({ env: ", NEW_KEY: yes" })
    const { code, stdout } = await prove(file, "--html", html, "--junit", junit)
    assert.strictEqual(code, 1, stdout)
    assert.match(stdout, /Money moved (twice|\d+ times) for one order, by PAY-/)
    assert.match(stdout, /Repeat this run: add --run "no fault" to the command\.$/m)
    assert.match(readFileSync(html, "utf8"), /Money moved .* for one order/)
    assert.match(readFileSync(junit, "utf8"), /<testcase .*<failure message="Money/)
  }, 600_000)

  it.each([500, 402])(
    "that answers %i after it has charged the buyer fails",
    async (status) => {
      const file = await proofOf({ env: `, FIRST_STATUS: ${status}` })
      const { code, stdout } = await prove(file, "--run", "0")
      assert.match(
        stdout,
        /The buyer was told “not paid”, but the money (had moved|could still move)/
      )
      assert.strictEqual(code, 1)
    },
    600_000
  )

  it("that derives its key passes, and a run can be repeated", async () => {
    const file = await proofOf()
    const words = "1st Payments.create: response lost"
    const { code, stdout } = await prove(file, "--run", words)
    assert.strictEqual(code, 0, stdout)
    assert.match(stdout, /Run \d+, 1st Payments.create: response lost\n[^]*A[^]*A is the key/)
    const { stderr } = await prove(file, "--run", "1st Payments.create: lost")
    assert.match(stderr, /There is no run “1st Payments.create: lost”: the last one is \d+/)
  }, 600_000)
})

describe("one line with the remedy is printed", () => {
  const cases: ReadonlyArray<readonly [string, Changes, RegExp]> = [
    [
      "if the server does not start",
      { command: "echo no config; exit 3" },
      /ended before it listened on .*Its output: no config/
    ],
    [
      "if it never listens",
      { command: "sleep 60", more: "patience: 1 second" },
      /does not listen on .*Check “command” \(sleep 60\)/
    ],
    [
      "if it never calls the sandbox",
      { env: ", SILENT: yes", more: "patience: 10 seconds" },
      /sends no request to the sandbox/
    ],
    [
      "if told has an unknown word",
      { paid: "settled" },
      /has none of its words at “order.state”. Add the word to paid/
    ],
    ["if the file has an unknown member", { more: "pathience: 1 second" }, /line 8: pathience /],
    [
      "if a member is wrong",
      { more: "seed: many" },
      /line 8: seed must be a whole number from 0 to 10000/
    ]
  ]
  it.each(cases)(
    "%s",
    async (_, changes, message) => {
      const { code, stderr } = await prove(await proofOf(changes))
      assert.match(stderr, message)
      assert.strictEqual(code, 2)
    },
    120_000
  )

  it("if it never becomes calm", async () => {
    const file = await proofOf({ env: ", STUCK: yes", more: "patience: 10 seconds" })
    const { code, stdout } = await prove(file)
    assert.match(stdout, /After \d+ lives the order is still open/)
    assert.strictEqual(code, 1)
  }, 120_000)

  it("if the port is in use", async () => {
    const held = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => held.once("listening", resolve))
    const { port } = held.address() as AddressInfo
    const { code, stderr } = await prove(await proofOf({ port }))
    held.close()
    assert.match(stderr, new RegExp(`127.0.0.1:${port} is in use by another program. Stop it, or`))
    assert.strictEqual(code, 2)
  }, 120_000)
})

it("after Ctrl+C, it reports the runs that are done, and leaves no process behind", async () => {
  // A child of the shell, which would survive the shell.
  const file = await proofOf({ command: "node server.mjs & sleep 600 & wait" })
  const proving = spawn(process.execPath, [...command.fromSource, "prove", file])
  const ended = new Promise((resolve) => proving.once("close", resolve))
  let stdout = ""
  let stderr = ""
  proving.stdout.on("data", (chunk) => (stdout += chunk))
  proving.stderr.on("data", (chunk) => (stderr += chunk))
  await vi.waitUntil(() => stderr.includes(" failed  "), { timeout: 60_000, interval: 50 })
  proving.kill("SIGINT")
  assert.strictEqual(await ended, 130)
  assert.match(stdout, /Stopped with \d+ runs? left\. \d+ of \d+ runs? failed\./)
  await vi.waitUntil(async () => (await left()) === "0", { timeout: 10_000, interval: 50 })
}, 120_000)
