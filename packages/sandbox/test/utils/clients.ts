/**
 * The requests of HTTP clients in other languages, captured between them and the sandbox.
 */

/**
 * The head of a POST, as a client sends it. `{target}` is the path, `{origin}` and `{host}` the address, and `{length}`
 * the length of the body; without it, the body is chunked.
 */
export type Head = ReadonlyArray<string>

/** HttpClient of Java offers HTTP/2 in each request of a new connection. */
const java: Head = [
  "POST {target} HTTP/1.1",
  "Connection: Upgrade, HTTP2-Settings",
  "Content-Length: {length}",
  "Host: {host}",
  "HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA",
  "Upgrade: h2c",
  "User-Agent: Java-http-client/17.0.15",
  "Content-Type: application/json"
]

const javaConnection: Head = [
  "POST {target} HTTP/1.1",
  "Content-Type: application/json",
  "User-Agent: Java/17.0.15",
  "Host: {host}",
  "Accept: text/html, image/gif, image/jpeg, */*; q=0.2",
  "Connection: keep-alive",
  "Content-Length: {length}"
]

const go: Head = [
  "POST {target} HTTP/1.1",
  "Host: {host}",
  "User-Agent: Go-http-client/1.1",
  "Content-Length: {length}",
  "Content-Type: application/json",
  "Accept-Encoding: gzip"
]

const requests: Head = [
  "POST {target} HTTP/1.1",
  "Host: {host}",
  "User-Agent: python-requests/2.28.1",
  "Accept-Encoding: gzip, deflate",
  "Accept: */*",
  "Connection: keep-alive",
  "Content-Length: {length}",
  "Content-Type: application/json"
]

const ruby: Head = [
  "POST {target} HTTP/1.1",
  "Content-Type: application/json",
  "Accept-Encoding: gzip;q=1.0,deflate;q=0.6,identity;q=0.3",
  "Accept: */*",
  "User-Agent: Ruby",
  "Host: {host}",
  "Content-Length: {length}"
]

export const curl: Head = [
  "POST {target} HTTP/1.1",
  "Host: {host}",
  "User-Agent: curl/7.88.1",
  "Accept: */*",
  "content-type: application/json",
  "Content-Length: {length}"
]

const phpStream: Head = [
  "POST {target} HTTP/1.1",
  "Host: {host}",
  "Connection: close",
  "Content-Length: {length}",
  "Content-Type: application/json"
]

export const isLength = (line: string): boolean => /^content-length:/i.test(line)

/** Whether a line is about the body, which a read does not have. */
export const isAboutBody = (line: string): boolean =>
  /^(content-(length|type)|transfer-encoding|expect):/i.test(line)

const chunked = (head: Head): Head =>
  head.map((line) => (isLength(line) ? "Transfer-Encoding: chunked" : line))

/** It sends its body after `100 Continue`. */
const expecting = (head: Head): Head => [...head, "Expect: 100-continue"]

const startingWith = (line: string, [, ...headers]: Head): Head => [line, ...headers]

const offering = (protocol: string, head: Head): Head => [
  ...head,
  "Connection: Upgrade",
  `Upgrade: ${protocol}`
]

const withNames = (change: (name: string) => string, [line = "", ...headers]: Head): Head => [
  line,
  ...headers.map((header) => header.replace(/^[^:]+/, change))
]

export const clients: Readonly<Record<string, Head>> = {
  "Java, HttpClient": java,
  "Java, HttpClient with a stream": chunked(java),
  "Java, HttpClient that expects 100": expecting(java),
  "Java, HttpURLConnection": javaConnection,
  "Java, HttpURLConnection with a stream": chunked(javaConnection),
  "Go, net/http": go,
  "Go, net/http with a reader": chunked(go),
  "Go, net/http that expects 100": expecting(go),
  "Python, requests": requests,
  "Python, requests with a generator": chunked(requests),
  "Python, httpx": [
    "POST {target} HTTP/1.1",
    "Host: {host}",
    "Accept: */*",
    "Accept-Encoding: gzip, deflate",
    "Connection: keep-alive",
    "User-Agent: python-httpx/0.23.3",
    "Content-Length: {length}",
    "Content-Type: application/json"
  ],
  "Python, aiohttp that expects 100": [
    "POST {target} HTTP/1.1",
    "Host: {host}",
    "Content-Type: application/json",
    "Accept: */*",
    "Accept-Encoding: gzip, deflate",
    "User-Agent: Python/3.11 aiohttp/3.8.4",
    "Transfer-Encoding: chunked",
    "Expect: 100-continue"
  ],
  "Python, urllib": [
    "POST {target} HTTP/1.1",
    "Accept-Encoding: identity",
    "Content-Length: {length}",
    "Host: {host}",
    "User-Agent: Python-urllib/3.11",
    "Content-Type: application/json",
    "Connection: close"
  ],
  "PHP, streams": phpStream,
  "PHP, streams with HTTP/1.0": startingWith("POST {target} HTTP/1.0", phpStream),
  "PHP, curl with HTTP/2": [
    "POST {target} HTTP/1.1",
    "Host: {host}",
    "Accept: */*",
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA",
    "Content-Type: application/json",
    "Content-Length: {length}"
  ],
  "Ruby, Net::HTTP": ruby,
  "Ruby, Net::HTTP with a stream": chunked(ruby),
  "Ruby, Net::HTTP that expects 100": expecting(ruby),
  "Mono, HttpClient": [
    "POST {target} HTTP/1.1",
    "Content-Type: application/json; charset=utf-8",
    "Content-Length: {length}",
    "Host: {host}"
  ],
  "Perl, LWP": [
    "POST {target} HTTP/1.1",
    "TE: deflate,gzip;q=0.3",
    "Connection: TE, close",
    "Host: {host}",
    "User-Agent: libwww-perl/6.68",
    "Content-Type: application/json",
    "Content-Length: {length}"
  ],
  curl,
  "curl --http1.0": startingWith("POST {target} HTTP/1.0", curl),
  "curl --http2": [
    ...curl,
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA"
  ],
  "curl --proxy": startingWith("POST {origin}{target} HTTP/1.1", [
    ...curl,
    "Proxy-Connection: Keep-Alive"
  ]),
  "an offer of TLS": offering("TLS/1.2", curl),
  "an offer of a WebSocket": offering("websocket", curl),
  "names in lower case": withNames((name) => name.toLowerCase(), java),
  "names in upper case": withNames((name) => name.toUpperCase(), java),
  "no space after the colons": curl.map((line) => line.replace(": ", ":")),
  "spaces and tabs after the colons": curl.map((line) => line.replace(": ", ": \t ")),
  "HTTP/1.0 without a host": ["POST {target} HTTP/1.0", "Content-Length: {length}"],
  "a target with a name in upper case": startingWith("POST HTTP://LOCALHOST{target} HTTP/1.1", curl)
}
