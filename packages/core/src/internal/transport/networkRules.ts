/**
 * The rules by which the errors of HTTP clients are explained: those of undici and `node:http` on Node, and of `fetch`
 * on Node, Bun and Deno.
 */
import type { Root } from "./networkRoots.js"

interface Explanation {
  readonly reason: string | undefined
  /** A sentence. */
  readonly remedy: string | undefined
}

interface Rule {
  /** The codes of the system, of OpenSSL or of undici. */
  readonly code?: RegExp
  /** The words of an error without a code that tells. */
  readonly text?: RegExp
  /** Whether the error shows by itself that nothing was sent. */
  readonly isBefore?: boolean
  /** The code of an error that has none. */
  readonly named?: string
  readonly explain: (text: string) => Explanation
}

/** The first rule that matches an error. */
export const ruleOf = ({ code, text }: Root): Rule | undefined =>
  rules.find(
    (rule) =>
      (code !== undefined && (rule.named === code || rule.code?.test(code) === true)) ||
      rule.text?.test(text) === true
  )

/**
 * Whether no byte of the request was sent. The system reports the same codes for an established connection that is
 * lost later, so the system call decides. In doubt, the request may have been sent.
 */
export const isBefore = (root: Root): boolean =>
  root.isUnconnected ||
  root.syscall === "connect" ||
  root.syscall === "getaddrinfo" ||
  // Deno and Bun.
  /client error \(Connect\)|Unable to connect\./.test(root.text) ||
  ruleOf(root)?.isBefore === true

const says =
  (reason: string | undefined, remedy?: string): Rule["explain"] =>
  () => ({ reason, remedy })

export const between = "Check the base URL, and a proxy or a firewall in between."

/** Shows whether the service or a proxy is meant. */
const addressIn = (text: string): string => {
  const address = /^connect E\w+ (\S+:\d+)/.exec(text)?.[1]
  return address === undefined ? "" : ` by ${address}`
}

const tunnel = /^Proxy response \((\d{3})\)/

const ofTunnel: Rule["explain"] = (text) => {
  const status = tunnel.exec(text)?.[1]
  return {
    reason: `the proxy refused the tunnel with status ${status}`,
    remedy:
      status === "407"
        ? "Set the user and the password of the proxy."
        : status === "403"
          ? "Let the proxy allow the host of the base URL."
          : "Check the base URL, and whether the proxy reaches its host."
  }
}

/** The first that matches counts. */
const rules: ReadonlyArray<Rule> = [
  { text: tunnel, isBefore: true, explain: ofTunnel },
  {
    code: /^UND_ERR_PRX_CONN$/,
    isBefore: true,
    explain: says(
      "the proxy closed the connection before its response",
      "Check the URL of the proxy, and whether it allows CONNECT."
    )
  },

  // Refused by `fetch` itself.
  {
    text: /^Requires net access/,
    isBefore: true,
    named: "NO_PERMISSION",
    explain: says("Deno does not let this process connect to the host", "Run it with --allow-net.")
  },
  {
    text: /^(globalThis\.)?fetch is not a function/,
    isBefore: true,
    named: "NO_FETCH",
    explain: says(
      "this runtime has no fetch",
      "Pass one to FetchClient.make, or use another client."
    )
  },
  {
    text: /(instance|type|not) (of )?(type )?AbortSignal/,
    isBefore: true,
    named: "FOREIGN_SIGNAL",
    explain: says(
      "fetch refused an AbortSignal that is not its own",
      "Use the fetch and the AbortController of one environment: tests with a simulated browser replace one of them."
    )
  },
  {
    text: /^bad port$|^Fetch failed: Requests to port \d+ are blocked$/,
    isBefore: true,
    named: "BLOCKED_PORT",
    explain: says("fetch does not connect to this port", "Use another port, or UndiciClient.")
  },

  // Certificates.
  {
    code: /^CERT_NOT_YET_VALID$/,
    text: /^certificate is not yet valid$|invalid peer certificate: certificate not valid yet/,
    isBefore: true,
    explain: says(
      "the certificate of the server is not valid yet",
      "Check the clock of this machine."
    )
  },
  {
    code: /^CERT_HAS_EXPIRED$/,
    text: /^certificate has expired$|invalid peer certificate: certificate expired/,
    isBefore: true,
    explain: says(
      "the certificate of the server has expired",
      "Check the clock of this machine. If it is right, tell the service."
    )
  },
  {
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$|^HOSTNAME_MISMATCH$/,
    text: /invalid peer certificate: certificate not valid for name/,
    isBefore: true,
    explain: says("the certificate of the server is for another host", between)
  },
  {
    code: /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED)$/,
    text: /invalid peer certificate: (UnknownIssuer|Other)/,
    isBefore: true,
    explain: says(
      "this machine does not trust the certificate of the server",
      "If it is right, add its authority: NODE_EXTRA_CA_CERTS, or DENO_CERT on Deno."
    )
  },
  {
    code: /^(CERT|CRL|UNABLE_TO|ERROR_IN_C)_|^(INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/,
    text: /invalid peer certificate/,
    isBefore: true,
    explain: says("the certificate of the server was refused", between)
  },

  // TLS. The same alerts and bytes may come later, so these errors alone do not show that nothing was sent.
  {
    code: /CERTIFICATE_REQUIRED$/,
    text: /CertificateRequired$/,
    explain: says("the server requires a client certificate", "Use a client with a certificate.")
  },
  {
    code: /WRONG_VERSION_NUMBER$|PACKET_LENGTH_TOO_LONG$/,
    text: /wrong version number|packet length too long|InvalidContentType/,
    explain: says("the port does not speak TLS", "Check the scheme and the port of the base URL.")
  },
  {
    code: /PROTOCOL_VERSION$|UNSUPPORTED_PROTOCOL$/,
    text: /alert protocol version|unsupported protocol|alert: ProtocolVersion/,
    explain: says("this machine and the server have no version of TLS in common", between)
  },
  {
    code: /NO_APPLICATION_PROTOCOL$/,
    text: /no application protocol|NoApplicationProtocol/,
    explain: says("the server does not offer HTTP/1.1 over TLS", between)
  },
  {
    code: /^ERR_SSL_|^EPROTO$/,
    text: /before secure TLS connection|tls handshake|received fatal alert/,
    explain: says("the TLS handshake failed", between)
  },

  // Connections.
  {
    code: /^ECONNREFUSED$|^ConnectionRefused$/,
    text: /Connection refused/,
    explain: (text) => ({
      reason: `the connection was refused${addressIn(text)}`,
      remedy: "Check the base URL, and that a server or the proxy listens there."
    })
  },
  {
    code: /^ENOTFOUND$|^EAI_/,
    text: /dns error/,
    explain: says(
      "the host name has no address",
      "Check the base URL, and the name servers of this machine."
    )
  },
  {
    code: /^(EHOST|ENET)(UNREACH|DOWN)$/,
    text: /unreachable \(os error/,
    explain: says("the network does not reach the host", between)
  },
  {
    code: /^UND_ERR_CONNECT_TIMEOUT$/,
    isBefore: true,
    explain: says("no connection could be made in time", between)
  },
  {
    code: /^NO_CONNECTION_IN_TIME$/,
    explain: says("no connection was free or could be made in time", between)
  },
  {
    code: /^ETIMEDOUT$/,
    text: /Connection timed out/,
    explain: says("the host did not respond in time", between)
  },
  {
    code: /^UND_ERR_(DESTROYED|CLOSED)$/,
    explain: says("the client was closed", "Keep its layer open during the call.")
  },
  {
    code: /OVERFLOW$/,
    explain: says("the response has too many or too long headers", between)
  },
  {
    code: /^HPE_/,
    text: /does not match the HTTP\/1\.1 protocol/,
    explain: says("the response is not valid HTTP", between)
  },
  // The statement of the message says it.
  {
    code: /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/,
    text: /connection was closed unexpectedly|connection closed before message/,
    explain: says(undefined)
  }
]
