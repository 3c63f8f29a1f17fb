/** The command as it is shipped, through proxies and TLS. */
import { assert, beforeAll, describe } from "@effect/vitest"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Certificates from "@manilla/test-support/Certificates"
import { phone } from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { connect } from "node:net"
import type { Server, Socket } from "node:net"
import { join } from "node:path"
import { createServer, type TlsOptions } from "node:tls"
import { sandbox, type Settings, settings } from "../test/utils/manilla.js"
import { folder } from "../test/utils/payroll.js"
import * as proxies from "../test/utils/proxy.js"
import { bundle, program } from "./utils/command.js"

beforeAll(() => Effect.runPromise(bundle))

/** The port of a server that listens until the scope ends. */
const listening = (server: Server) =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" ? (address?.port ?? 0) : 0))
      })
    }),
    () => Effect.sync(() => server.close())
  )

/** TLS in front of the sandbox. */
const front = (options: TlsOptions) =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Sandbox.Sandbox
    const pass = (socket: Socket) => {
      const target = connect(Number(new URL(baseUrl).port), "127.0.0.1")
      socket.pipe(target).pipe(socket)
      for (const end of [socket, target]) end.on("error", () => end.destroy())
    }
    const server = createServer(options, pass)
    server.on("tlsClientError", () => {})
    return yield* listening(server)
  })

/** The names of all variables that could change the way. */
const none = Object.fromEntries(
  ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"].flatMap((name) => [
    [name, undefined],
    [name.toLowerCase(), undefined]
  ])
)

/** Runs the command, which trusts an authority, with other settings than the sandbox's. */
const run = (args: ReadonlyArray<string>, changes: Settings, authority: Certificates.Certificate) =>
  Effect.gen(function* () {
    const path = yield* folder
    const file = join(path, "authority.pem")
    writeFileSync(file, authority.cert)
    const env = { ...process.env, ...none, ...(yield* settings), ...changes }
    return yield* Effect.async<{ readonly code: number; readonly out: string }>((resume) => {
      execFile(
        process.execPath,
        [program, ...args],
        { env: { ...env, NODE_EXTRA_CA_CERTS: file } },
        (error, out, err) => {
          assert.notInclude(out + err, "s3cret")
          resume(Effect.succeed({ code: error === null ? 0 : Number(error.code), out: out + err }))
        }
      )
    })
  })

/** One line for each finding. */
const findingsIn = (out: string) =>
  out
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line): Record<string, string> => JSON.parse(line))
    .map(({ check, level, remedy = "", text }) => `${level} ${check}: ${text} ${remedy}`.trim())

const { live } = Test.over(sandbox())

const base = { MANILLA_BASE_URL: "https://api.example/api/v1" }

describe("through a proxy", () => {
  for (const [variable, others] of [
    ["HTTPS_PROXY", {}],
    ["https_proxy", { HTTPS_PROXY: "http://127.0.0.1:1", NODE_USE_ENV_PROXY: "0" }],
    ["HTTPS_PROXY", { HTTP_PROXY: "http://127.0.0.1:1", NODE_USE_ENV_PROXY: "1" }]
  ] as const) {
    live(`that ${variable} names, beside ${JSON.stringify(others)}`, function* () {
      const authority = yield* Certificates.authority
      const port = yield* front(yield* Certificates.issue({ authority, names: ["api.example"] }))
      const { heads, host } = yield* proxies.make({ port })
      const through = { ...base, ...others, [variable]: `http://user:s3cret@${host}` }

      const doctor = yield* run(["doctor", "--json"], through, authority)
      const found = findingsIn(doctor.out)
      assert.include(
        found,
        `ok proxy: api.example:443 is reached through the proxy http://${host} (${variable}).`
      )
      assert.include(found, "ok TLS: api.example is trusted.")
      assert.notInclude(found.join(), "DNS: api.example")
      assert.strictEqual(doctor.code, 0, doctor.out)

      const before = heads.length
      const { MANILLA_WALLET_ID } = yield* settings
      const args = `payouts disburse --key k --wallet-id ${MANILLA_WALLET_ID} --amount 1000 --currency XOF --country BJ --payment-method mtn_momo --destination ${phone}`
      const paid = yield* run(args.split(" "), through, authority)
      assert.strictEqual(paid.code, 0, paid.out)
      assert.lengthOf(yield* (yield* Sandbox.Sandbox).payouts, 1)
      assert.isAbove(heads.length, before)

      const paidBy = heads.length
      const out = join(tmpdir(), `${host}.json`)
      const probe = ["probe", "--phone", phone, "--yes", "--out", out]
      const probed = yield* run(probe, through, authority)
      rmSync(out, { force: true })
      assert.strictEqual(probed.code, 0, probed.out)
      assert.isAbove(heads.length, paidBy + 1)
      for (const head of heads) assert.match(head, /^CONNECT api\.example:443 /)
    })
  }

  live("a refusal sends nothing", function* () {
    const authority = yield* Certificates.authority
    const { host } = yield* proxies.make("close")
    const through = { ...base, HTTPS_PROXY: `http://user:s3cret@${host}` }
    const { code, out } = yield* run(["catalogue", "list"], through, authority)
    assert.strictEqual(code, 1, out)
    assert.include(out, "nothing was sent")
  })
})

describe("the doctor says why TLS fails", () => {
  /** A server with a certificate, and what the doctor says of it. */
  const failures: ReadonlyArray<
    readonly [string, Certificates.Options & { readonly isTrusted?: boolean }, TlsOptions, string]
  > = [
    [
      "a certificate that signs itself",
      { isTrusted: false },
      {},
      "this machine does not trust the certificate of the server (DEPTH_ZERO_SELF_SIGNED_CERT). If it is right, add its authority: NODE_EXTRA_CA_CERTS, or DENO_CERT on Deno."
    ],
    [
      "a certificate that has expired",
      { days: [-2, -1] },
      {},
      "the certificate of the server has expired (CERT_HAS_EXPIRED). Check the clock of this machine. If it is right, tell the service."
    ],
    [
      "a certificate that is not valid yet",
      { days: [1, 2] },
      {},
      "the certificate of the server is not valid yet (CERT_NOT_YET_VALID). Check the clock of this machine."
    ],
    [
      "a certificate for another host",
      { names: ["other.example"] },
      {},
      "the certificate of the server is for another host (ERR_TLS_CERT_ALTNAME_INVALID). Check MANILLA_BASE_URL, and a proxy or a firewall in between."
    ],
    [
      "old versions of TLS only",
      {},
      { maxVersion: "TLSv1.1", minVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" },
      "this machine and the server have no version of TLS in common (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION). Check MANILLA_BASE_URL, and a proxy or a firewall in between."
    ],
    [
      "a handshake that the server refuses",
      {},
      { requestCert: true, rejectUnauthorized: true, maxVersion: "TLSv1.2" },
      "the TLS handshake failed (ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE). Check MANILLA_BASE_URL, and a proxy or a firewall in between."
    ]
  ]
  for (const [name, { isTrusted = true, ...options }, tls, says] of failures) {
    live(name, function* () {
      const authority = yield* Certificates.authority
      const signed = isTrusted ? { authority } : {}
      const certificate = yield* Certificates.issue({ ...signed, ...options })
      const host = `localhost:${yield* front({ ...tls, ...certificate })}`
      const changes = { MANILLA_BASE_URL: `https://${host}/api/v1` }
      const { code, out } = yield* run(["doctor", "--json"], changes, authority)
      const problems = findingsIn(out).filter((text) => !text.startsWith("ok"))
      assert.deepStrictEqual(problems, [`fail TLS: ${host}: ${says}`])
      assert.strictEqual(code, 1)
    })
  }
})
