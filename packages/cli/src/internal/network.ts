/** The network of all requests: undici, through the proxy that the environment names. It is loaded when it is used. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Undici from "undici"

export interface Proxy {
  /** The variable that names it. */
  readonly variable: string
  /** Scheme, host and port. */
  readonly origin: string
  readonly hasPassword: boolean
  /** With its password. */
  readonly url: Redacted.Redacted
}

/** As for undici and curl, the variable in lower case comes first, and an empty one counts. */
const variable = (name: string) =>
  [name.toLowerCase(), name]
    .map((name) => Config.map(Config.string(name), (value) => ({ name, value: value.trim() })))
    .reduce((first, second) => Config.orElse(first, () => second))
    .pipe(Config.withDefault({ name, value: "" }))

const rule =
  "must be the URL of a proxy, such as http://proxy.example:3128 or http://USER:PASSWORD@proxy.example:3128 (http and https only)"

const proxy: Config.Config<Proxy | undefined> = Config.mapOrFail(
  variable("HTTPS_PROXY"),
  ({ name, value }) => {
    if (value === "") return Either.right(undefined)
    const invalid = Either.left(ConfigError.InvalidData([name], rule))
    if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return invalid
    const { origin, password, username } = new URL(value)
    return Either.try({
      // undici decodes them.
      try: () => [username, password].map(decodeURIComponent),
      catch: () => ConfigError.InvalidData([name], `${rule}; write % as %25`)
    }).pipe(
      Either.map(() => ({
        variable: name,
        origin,
        hasPassword: password !== "",
        url: Redacted.make(value)
      }))
    )
  }
)

export interface Options {
  /** The proxy for `https://` URLs, if there is one. */
  readonly proxy: Proxy | undefined
  /** Hosts that are reached without it, as undici reads them. */
  readonly noProxy: string
}

export const config: Config.Config<Options> = Config.all({
  proxy,
  noProxy: Config.map(variable("NO_PROXY"), ({ value }) => value)
})

/** A tunnel that a proxy was asked for. */
export interface Tunnel {
  /** The status of its response; `undefined` if there is none. */
  readonly status: number | undefined
}

/** Connections to the proxy. `noted` sees each tunnel before and after its response. */
const tunnels = (noted: (tunnel: Tunnel) => void) => (origin: URL, options: object) =>
  new Undici.Pool(origin, options).compose((dispatch) => (request, handler) => {
    noted({ status: undefined })
    return dispatch(request, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onRequestUpgrade: (controller, status, headers, socket) => {
        noted({ status })
        handler.onRequestUpgrade?.(controller, status, headers, socket)
      },
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error)
    })
  })

/** To one origin, as for `UndiciClient.layer`. */
const connections = 128

/**
 * Sends requests through the proxy, unless `NO_PROXY` excepts their host. A URL with `http://` is one of this machine, and
 * never leaves it.
 */
export const make = ({ noProxy, proxy }: Options, noted: (tunnel: Tunnel) => void = () => {}) =>
  Effect.acquireRelease(
    Effect.sync(
      () =>
        new Undici.EnvHttpProxyAgent({
          httpProxy: "",
          httpsProxy: proxy === undefined ? "" : Redacted.value(proxy.url),
          noProxy,
          connections,
          clientFactory: tunnels(noted)
        })
    ),
    (agent) => Effect.promise(() => agent.destroy())
  ).pipe(
    // The client also ends undici's attempts at a proxy that closes each connection.
    Effect.map((dispatcher) => ({ dispatcher, client: UndiciClient.make(dispatcher) }))
  )

/** The client of all commands. */
export const layer = Layer.unwrapEffect(
  Effect.map(config, (options) =>
    options.proxy === undefined
      ? UndiciClient.layer
      : Layer.scoped(
          HttpClient.HttpClient,
          Effect.map(make(options), ({ client }) => client)
        )
  )
)
