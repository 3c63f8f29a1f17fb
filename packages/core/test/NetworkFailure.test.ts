/**
 * The errors of the `fetch` of Deno and Bun, which the tests do not run on, as they were observed.
 */
import { assert, describe, it } from "@effect/vitest"
import * as NetworkFailure from "@manilla/core/NetworkFailure"
import { failed } from "../src/internal/transport/transport.js"

interface Observed {
  readonly event: string
  readonly error: Error
  readonly isSent: boolean
  readonly reason: string | undefined
}

const url = "https://127.0.0.1:39005/api/v1/payments/42"

const deno = (
  event: string,
  words: string,
  isSent: boolean,
  reason: string | undefined
): Observed => ({
  event: `Deno: ${event}`,
  error: new TypeError("fetch failed", { cause: new Error(words) }),
  isSent,
  reason
})

const connecting = `error sending request for url (${url}): client error (Connect): `

const bun = (
  event: string,
  code: string,
  words: string,
  isSent: boolean,
  reason: string | undefined
): Observed => ({
  event: `Bun: ${event}`,
  error: Object.assign(new TypeError(words), { code, path: url }),
  isSent,
  reason
})

const verbose = "For more information, pass `verbose: true` in the second argument to fetch()"
const untrusted = "this machine does not trust the certificate of the server"

const observed: ReadonlyArray<Observed> = [
  deno(
    "no address",
    `${connecting}dns error: failed to lookup address`,
    false,
    "the host name has no address"
  ),
  deno(
    "refused",
    `${connecting}tcp connect error: Connection refused (os error 111)`,
    false,
    "the connection was refused"
  ),
  deno(
    "closes in the handshake",
    `${connecting}tls handshake eof`,
    false,
    "the TLS handshake failed"
  ),
  deno(
    "no TLS",
    `${connecting}received corrupt message of type InvalidContentType`,
    false,
    "the port does not speak TLS"
  ),
  deno(
    "old TLS",
    `${connecting}received fatal alert: ProtocolVersion`,
    false,
    "this machine and the server have no version of TLS in common"
  ),
  deno(
    "expired",
    `${connecting}invalid peer certificate: certificate expired: verification time 1795786905 (UNIX)`,
    false,
    "the certificate of the server has expired"
  ),
  deno(
    "not valid yet",
    `${connecting}invalid peer certificate: certificate not valid yet: verification time 1795786905`,
    false,
    "the certificate of the server is not valid yet"
  ),
  deno(
    "another host",
    `${connecting}invalid peer certificate: certificate not valid for name "127.0.0.1"`,
    false,
    "the certificate of the server is for another host"
  ),
  deno("untrusted", `${connecting}invalid peer certificate: UnknownIssuer`, false, untrusted),
  deno(
    "client certificate",
    "received fatal alert: CertificateRequired",
    true,
    "the server requires a client certificate"
  ),
  deno(
    "closes after the request",
    `error sending request from 127.0.0.1:39728 for ${url} (127.0.0.1:37759): client error (SendRequest): connection closed before message completed`,
    true,
    undefined
  ),
  deno(
    "plain text after the request",
    "received corrupt message of type InvalidContentType",
    true,
    "the port does not speak TLS"
  ),
  {
    event: "Deno: no permission",
    error: Object.assign(
      new Error('Requires net access to "127.0.0.1:5999", run again with the --allow-net flag'),
      { name: "NotCapable" }
    ),
    isSent: false,
    reason: "Deno does not let this process connect to the host"
  },
  bun(
    "refused",
    "ECONNREFUSED",
    "ECONNREFUSED: Unable to connect. Is the computer able to access the url?",
    false,
    "the connection was refused"
  ),
  bun(
    "refused, before 1.4",
    "ConnectionRefused",
    "Unable to connect. Is the computer able to access the url?",
    false,
    "the connection was refused"
  ),
  bun(
    "handshake",
    "EPROTO",
    "EPROTO: The TLS handshake failed. Does the server speak TLS on this port?",
    true,
    "the TLS handshake failed"
  ),
  bun("untrusted", "DEPTH_ZERO_SELF_SIGNED_CERT", "self signed certificate", false, untrusted),
  bun(
    "expired",
    "CERT_HAS_EXPIRED",
    "certificate has expired",
    false,
    "the certificate of the server has expired"
  ),
  bun(
    "another host",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    `ERR_TLS_CERT_ALTNAME_INVALID fetching "${url}". ${verbose}`,
    false,
    "the certificate of the server is for another host"
  ),
  bun(
    "closed",
    "ECONNRESET",
    `ECONNRESET: The socket connection was closed unexpectedly. ${verbose}`,
    true,
    undefined
  )
]

describe("a failure of fetch", () => {
  for (const { error, event, isSent, reason } of observed) {
    it(`is explained: ${event}`, () => {
      assert.strictEqual(NetworkFailure.explain(error).reason, reason)
      assert.strictEqual(failed(error)._tag, isSent ? "Lost" : "NotSent")
    })
  }
})

describe("an error without a rule", () => {
  it("is told in its own words, without paths, queries and credentials", () => {
    const words = `no luck\nwith http://user:pass@proxy.example:3128/a?b (${url}?token=1): gave up`
    assert.strictEqual(
      NetworkFailure.explain(new Error(words)).reason,
      "no luck with http://proxy.example:3128 (https://127.0.0.1:39005): gave up"
    )
  })

  it("may have been sent", () => {
    for (const error of [undefined, null, "x", {}, new Error(""), new Error("what?")]) {
      assert.strictEqual(failed(error)._tag, "Lost")
    }
  })

  it("has one short line", () => {
    const { reason = "" } = NetworkFailure.explain(new Error("a\u0000\n".repeat(1000)))
    assert.isAtMost(reason.length, 200)
    assert.match(reason, /^[a ]+$/)
  })
})
