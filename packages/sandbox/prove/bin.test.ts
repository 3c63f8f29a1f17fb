import { assert, describe, it } from "@effect/vitest"
import * as cli from "../src/internal/command/cli.js"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as command from "./utils/command.js"

const token = (started: command.Started, clientSecret: string) =>
  fetch(`${started.exported["MANILLA_AUTH_URL"]}/auth/application/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_id: started.exported["MANILLA_CLIENT_ID"],
      client_secret: clientSecret
    })
  })

describe.concurrent("manilla-sandbox", () => {
  it("serves its development credentials, and prints requests until SIGTERM", async () => {
    const started = await command.start()
    const secret = started.exported["MANILLA_CLIENT_SECRET"] ?? ""
    assert.strictEqual(secret, cli.developmentCredentials.clientSecret)
    assert.strictEqual((await token(started, secret)).status, 200)
    assert.strictEqual((await token(started, "wrong")).status, 401)
    const faults = `${started.origin}/_sandbox/faults`
    const added = await fetch(faults, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ fault: "drop_before" })
    })
    assert.strictEqual(added.status, 201)
    await token(started, secret).then(
      () => assert.fail("a response to a dropped request"),
      () => {}
    )
    const { code, stdout } = await started.stop("SIGTERM")
    assert.strictEqual(code, 0)
    const [, printed = ""] = stdout.split("openapi.json\n\n")
    assert.deepStrictEqual(
      printed
        .replace(/\d+ ms/g, "N ms")
        .trim()
        .split("\n"),
      [
        "POST /api/v1/auth/application/token  200  N ms",
        "POST /api/v1/auth/application/token  401  N ms",
        "POST /api/v1/auth/application/token  request lost  N ms  fault drop_before"
      ]
    )
    assert.notInclude(printed, secret)
  })

  it("serves the given credentials quietly until SIGINT", async () => {
    const started = await command.start(["--client-id=me", "--client-secret=mine", "--quiet"])
    assert.strictEqual(started.exported["MANILLA_CLIENT_ID"], "me")
    assert.strictEqual((await token(started, "mine")).status, 200)
    const { code, stdout } = await started.stop("SIGINT")
    assert.strictEqual(code, 0)
    assert.notInclude(stdout, "POST")
  })

  it("keeps serving when nobody reads its output any more", async () => {
    const started = await command.start()
    const secret = started.exported["MANILLA_CLIENT_SECRET"] ?? ""
    started.closeOutput()
    for (let request = 0; request < 3; request++) {
      assert.strictEqual((await token(started, secret)).status, 200)
    }
    assert.deepStrictEqual((await started.stop()).code, 0)
  })

  // Windows cannot stop a process, and macOS queues 128 connections.
  it.runIf(process.platform === "linux")(
    "accepts connections that arrived while it was busy",
    async () => {
      const started = await command.start(["--quiet"])
      const port = Number(new URL(started.origin).port)
      const ended = started.stop("SIGSTOP")
      const sockets = Array.from({ length: 600 }, () => connect(port, "127.0.0.1"))
      await Promise.all(sockets.map((socket) => once(socket, "connect")))
      void started.stop("SIGCONT")
      for (const socket of sockets)
        socket.write("GET /_sandbox/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
      const answers = await Promise.all(sockets.map((socket) => once(socket, "data")))
      for (const [answer] of answers) assert.match(String(answer), /^HTTP\/1.1 200 /)
      for (const socket of sockets) socket.destroy()
      await started.stop()
      assert.strictEqual((await ended).code, 0)
    }
  )

  it("reports a port in use", async () => {
    const started = await command.start()
    const { port } = new URL(started.origin)
    const { code, stderr } = await command.run(["--port", port])
    assert.strictEqual(code, 1)
    assert.strictEqual(
      stderr,
      `The sandbox cannot listen: port ${port} is in use. Choose another with --port, such as --port 0 for any free port.\n`
    )
    const other = await command.run(["--port", "0", "--auth-port", port])
    assert.include(other.stderr, "Choose another with --auth-port,")
    await started.stop()
  })

  it("opens the wallets of a file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "manilla-initial-"))
    const file = join(folder, "initial.json")
    const wallet = { id: "0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e9b", currency: "XOF", balance: "250" }
    writeFileSync(file, JSON.stringify({ wallets: [wallet] }))
    const started = await command.start(["--initial", file])
    const wallets = await fetch(`${started.origin}/_sandbox/wallets`)
    assert.deepStrictEqual(await wallets.json(), [
      { id: wallet.id, currency: "XOF", available: "250.0000", reserved: "0.0000" }
    ])
    await started.stop()
    rmSync(folder, { recursive: true })
  })

  it("does not start with invalid arguments", async () => {
    const { code, stderr, stdout } = await command.run(["--prot", "4010"])
    assert.strictEqual(code, 2)
    assert.strictEqual(stdout, "")
    assert.strictEqual(stderr.trim(), "There is no option --prot. Did you mean --port?")
  })

  it("prints its version", async () => {
    const { code, stdout } = await command.run(["--version"])
    assert.strictEqual(code, 0)
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  })
})
