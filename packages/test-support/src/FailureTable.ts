/**
 * The failures between a client and the service, and the outcome of a write that each client reports. A test of core
 * makes each of them on loopback, and the guide to the network shows the table.
 */

export const clients = [
  "UndiciClient",
  "FetchClient",
  "Effect's fetch",
  "Effect's undici",
  "Effect's node:http"
] as const

export type Client = (typeof clients)[number]

export const outcomes = ["applied", "not applied", "unknown"] as const

export type Outcome = (typeof outcomes)[number]

export interface Row {
  readonly group: "Connection" | "TLS" | "Proxy" | "Response" | "Runtime"
  readonly event: string
  readonly outcome: Outcome
  /** Words of the error. */
  readonly says?: string
  /** Clients that cannot know the outcome, or do not meet the event. */
  readonly except?: Partial<Record<Client, Outcome | "–">>
}

const noProxy = { "Effect's node:http": "–" } as const
const onlyFetch = {
  UndiciClient: "–",
  "Effect's undici": "–",
  "Effect's node:http": "–"
} as const
const onlyUndiciKnows = {
  FetchClient: "unknown",
  "Effect's fetch": "unknown",
  "Effect's undici": "unknown",
  "Effect's node:http": "unknown"
} as const

const table = {
  refused: {
    group: "Connection",
    event: "nothing listens on the port",
    outcome: "not applied",
    says: "the connection was refused"
  },
  noAddress: {
    group: "Connection",
    event: "the host name has no address",
    outcome: "not applied",
    says: "the host name has no address"
  },
  closesAtOnce: {
    group: "Connection",
    event: "the connection is closed before the request was read",
    outcome: "unknown"
  },
  closesAfterRequest: {
    group: "Connection",
    event: "the connection is closed after the request was read",
    outcome: "unknown"
  },
  resetsAfterRequest: {
    group: "Connection",
    event: "the connection is reset after the request was read",
    outcome: "unknown"
  },
  halfStatusLine: {
    group: "Connection",
    event: "the connection is closed within the status line",
    outcome: "unknown"
  },
  halfHead: {
    group: "Connection",
    event: "the connection is reset within the headers",
    outcome: "unknown"
  },
  halfBody: {
    group: "Connection",
    event: "the connection is closed within the body of a success",
    outcome: "unknown"
  },
  halfRefusal: {
    group: "Connection",
    event: "the connection is reset within the body of a 422",
    outcome: "not applied"
  },
  silent: {
    group: "Connection",
    event: "no response comes in time",
    outcome: "unknown",
    says: "no complete response within"
  },

  tlsCloses: {
    group: "TLS",
    event: "the server closes in the handshake",
    outcome: "not applied",
    says: "the TLS handshake failed"
  },
  tlsResets: {
    group: "TLS",
    event: "the server resets in the handshake",
    outcome: "not applied",
    says: "closed before it was ready"
  },
  tlsAlert: {
    group: "TLS",
    event: "the server refuses the handshake",
    outcome: "not applied",
    says: "the TLS handshake failed"
  },
  tlsSilent: {
    group: "TLS",
    event: "the handshake never ends",
    outcome: "not applied",
    says: "no connection was free or could be made in time",
    except: onlyUndiciKnows
  },
  noTls: {
    group: "TLS",
    event: "the port speaks HTTP without TLS",
    outcome: "not applied",
    says: "the port does not speak TLS"
  },
  garbage: {
    group: "TLS",
    event: "the port speaks something else",
    outcome: "not applied",
    says: "the port does not speak TLS"
  },
  oldTls: {
    group: "TLS",
    event: "the server has only TLS 1.1",
    outcome: "not applied",
    says: "no version of TLS in common"
  },
  noAlpn: {
    group: "TLS",
    event: "the server does not offer HTTP/1.1 (ALPN)",
    outcome: "not applied",
    says: "the server does not offer HTTP/1.1",
    // It does not name a protocol.
    except: { "Effect's node:http": "applied" }
  },
  selfSigned: {
    group: "TLS",
    event: "the certificate is of an unknown authority",
    outcome: "not applied",
    says: "this machine does not trust the certificate"
  },
  expired: {
    group: "TLS",
    event: "the certificate has expired",
    outcome: "not applied",
    says: "the certificate of the server has expired"
  },
  notYetValid: {
    group: "TLS",
    event: "the certificate is not valid yet: the clock of this machine is behind",
    outcome: "not applied",
    says: "Check the clock of this machine"
  },
  otherHost: {
    group: "TLS",
    event: "the certificate is for another host",
    outcome: "not applied",
    says: "the certificate of the server is for another host"
  },
  clientCertificate12: {
    group: "TLS",
    event: "the server requires a client certificate, with TLS 1.2",
    outcome: "not applied",
    says: "the TLS handshake failed"
  },
  clientCertificate13: {
    group: "TLS",
    event: "the same with TLS 1.3, which lets the client send first",
    outcome: "unknown"
  },
  tlsClosesAfterRequest: {
    group: "TLS",
    event: "the connection is closed after the request was read",
    outcome: "unknown"
  },

  tunnel407: {
    group: "Proxy",
    event: "the proxy asks for a password (407)",
    outcome: "not applied",
    says: "the proxy refused the tunnel with status 407",
    except: noProxy
  },
  tunnel403: {
    group: "Proxy",
    event: "the proxy forbids the host (403)",
    outcome: "not applied",
    says: "the proxy refused the tunnel with status 403",
    except: noProxy
  },
  tunnel502: {
    group: "Proxy",
    event: "the proxy does not reach the host (502)",
    outcome: "not applied",
    says: "the proxy refused the tunnel with status 502",
    except: noProxy
  },
  tunnel503: {
    group: "Proxy",
    event: "the proxy is overloaded (503)",
    outcome: "not applied",
    says: "the proxy refused the tunnel with status 503",
    except: noProxy
  },
  proxyRefused: {
    group: "Proxy",
    event: "the proxy does not listen",
    outcome: "not applied",
    says: "the connection was refused",
    except: noProxy
  },
  proxyCloses: {
    group: "Proxy",
    event: "the proxy closes the connection before its response",
    outcome: "not applied",
    says: "the proxy closed the connection before its response",
    except: noProxy
  },
  tlsBehindProxy: {
    group: "Proxy",
    event: "the tunnel is open, and the handshake with the service fails",
    outcome: "not applied",
    says: "the port does not speak TLS",
    except: noProxy
  },
  closesBehindProxy: {
    group: "Proxy",
    event: "the tunnel closes after the request was sent",
    outcome: "unknown",
    except: noProxy
  },

  redirect: {
    group: "Response",
    event: "a redirect (301, 302, 303, 307, 308)",
    outcome: "unknown",
    says: "Redirects are not followed"
  },
  earlyRefusal: {
    group: "Response",
    event: "a 422 before the body of the request was read",
    outcome: "not applied"
  },
  earlyHints: { group: "Response", event: "a 103 before the response", outcome: "applied" },
  continues: {
    group: "Response",
    event: "a 100 that no request asked for, before the response",
    outcome: "unknown",
    except: { "Effect's node:http": "applied" }
  },
  upgrades: {
    group: "Response",
    event: "a 101 that no request asked for",
    outcome: "unknown"
  },
  largeHead: {
    group: "Response",
    event: "headers of 100 kB",
    outcome: "unknown",
    says: "too many or too long headers"
  },
  notHttp: {
    group: "Response",
    event: "bytes that are not HTTP",
    outcome: "unknown",
    says: "the response is not valid HTTP"
  },
  gzip: { group: "Response", event: "a success, compressed with gzip", outcome: "applied" },
  deflate: { group: "Response", event: "a success, compressed with deflate", outcome: "applied" },
  rawDeflate: {
    group: "Response",
    event: "a success, compressed with deflate without a header",
    outcome: "applied"
  },
  brotli: { group: "Response", event: "a success, compressed with br", outcome: "applied" },
  gzipRefusal: { group: "Response", event: "a 422, compressed with gzip", outcome: "not applied" },
  bomb: {
    group: "Response",
    event: "a response of 64 MB, compressed to 64 kB",
    outcome: "unknown",
    says: "the body exceeds the gateway's limit"
  },
  page403: {
    group: "Response",
    event: "an HTML page with a status of 4xx, of a firewall",
    outcome: "not applied",
    says: "the response is an HTML page"
  },
  page502: {
    group: "Response",
    event: "an HTML page with a status of 5xx, of a proxy",
    outcome: "unknown",
    says: "the response is an HTML page"
  },
  page200: {
    group: "Response",
    event: "an HTML page with a status of 2xx, of a network that asks for a login",
    outcome: "unknown",
    says: "the response is an HTML page"
  },

  noFetch: {
    group: "Runtime",
    event: "the runtime has no `fetch`",
    outcome: "not applied",
    says: "this runtime has no fetch",
    except: onlyFetch
  },
  foreignSignal: {
    group: "Runtime",
    event: "the `AbortController` is not the one of `fetch`, as in some test environments",
    outcome: "not applied",
    says: "AbortSignal",
    except: onlyFetch
  },
  blockedPort: {
    group: "Runtime",
    event: "`fetch` blocks the port, such as 6000",
    outcome: "not applied",
    says: "fetch does not connect to this port",
    except: onlyFetch
  }
} as const satisfies Readonly<Record<string, Row>>

export type Failure = keyof typeof table

export const rows: Readonly<Record<Failure, Row>> = table

/** The outcome that a client reports; `–` if it does not meet the event. */
export const outcomeOn = ({ except, outcome }: Row, client: Client): Outcome | "–" =>
  except?.[client] ?? outcome
