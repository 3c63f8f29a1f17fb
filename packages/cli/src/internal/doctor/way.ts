/** The way to a host: through a proxy or by its address, then TLS, and the clock there. */
import * as NetworkFailure from "@manilla/core/NetworkFailure"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import { request } from "undici"
import * as network from "../network.js"
import * as output from "../output.js"
import * as clock from "./clock.js"
import { fail, type Finding, ok } from "./finding.js"

/** A host that a setting names. */
interface Target {
  readonly setting: string
  /** With its port. */
  readonly host: string
}

const waitSeconds = 10

const noAnswer = new Error(`there is no response in ${waitSeconds} seconds`)

/** Asks the host for anything, and notes what a proxy answered. */
const ask = (url: URL, options: network.Options) =>
  Effect.gen(function* () {
    const tunnels: Array<network.Tunnel> = []
    const { dispatcher } = yield* network.make(options, (tunnel) => tunnels.push(tunnel))
    const beforeMillis = yield* Clock.currentTimeMillis
    const answer = yield* Effect.tryPromise({
      try: async (signal) => {
        const { body, headers } = await request(url, { dispatcher, signal, method: "HEAD" })
        await body.dump()
        return headers
      },
      catch: (error) => error
    }).pipe(
      Effect.timeoutFail({ duration: `${waitSeconds} seconds`, onTimeout: () => noAnswer }),
      Effect.either
    )
    const afterMillis = yield* Clock.currentTimeMillis
    return { answer, tunnel: tunnels.at(-1), beforeMillis, afterMillis }
  }).pipe(Effect.scoped)

/** Such as `the connection was refused (ECONNREFUSED)`. */
const reasonOf = (error: unknown): string => {
  const { code, reason = "the connection was closed" } = NetworkFailure.explain(error)
  return output.text(code === undefined ? reason : `${reason} (${code})`)
}

/** The remedy for a proxy that refuses a tunnel with this status. */
const proxyRemedy = (status: number, { hasPassword, variable }: network.Proxy, target: Target) => {
  if (status === 407) {
    return hasPassword
      ? `Correct the user and the password in ${variable}. Percent-encode special characters, such as %40 for @.`
      : `Put the user and the password of the proxy into ${variable}: http://USER:PASSWORD@HOST:PORT.`
  }
  if (status === 403) {
    return `Ask the operator of the proxy to allow ${target.host}, or name that host in NO_PROXY to reach it without a proxy.`
  }
  return status >= 500
    ? `The proxy does not reach that host: correct ${target.setting}, or ask the operator of the proxy.`
    : `Ask the operator of the proxy: it must allow CONNECT to ${target.host}.`
}

/** A proxy that was asked for a tunnel. `error` is that of the request. */
const proxied = (
  { status }: network.Tunnel,
  proxy: network.Proxy,
  target: Target,
  error: unknown
): Finding => {
  const name = `proxy ${proxy.origin} (${proxy.variable})`
  if (status === 200) return ok("proxy", `${target.host} is reached through the ${name}.`)
  return status === undefined
    ? fail(
        "proxy",
        `The ${name} opens no tunnel to ${target.host}: ${reasonOf(error)}.`,
        `Correct ${proxy.variable}, or name that host in NO_PROXY to reach it without a proxy.`
      )
    : fail(
        "proxy",
        `The ${name} responds with ${status} to CONNECT ${target.host}.`,
        proxyRemedy(status, proxy, target)
      )
}

/** Without a proxy, the name is looked up on this machine. With one, that is the business of the proxy. */
const direct = ({ host, hostname, protocol }: URL, setting: string, isExcepted: boolean) =>
  Effect.gen(function* () {
    const without =
      isExcepted && protocol === "https:"
        ? [ok("proxy", `${host} is reached without a proxy: NO_PROXY names it.`)]
        : []
    const name = hostname.replace(/^\[|\]$/g, "")
    if (isIP(name) !== 0) return without
    const found = yield* Effect.either(
      Effect.tryPromise({ try: () => lookup(name), catch: NetworkFailure.explain })
    )
    const dns = Either.match(found, {
      onLeft: ({ code }) =>
        fail(
          "DNS",
          `${hostname} has no address (${output.text(code)}).`,
          `Correct ${setting}, or the name servers of this machine. If a proxy is needed, name it in HTTPS_PROXY.`
        ),
      onRight: ({ address }) => ok("DNS", `${hostname} is ${address}.`)
    })
    return [...without, dns]
  })

/** A host to which a request failed. */
const unreached = (host: string, setting: string, error: unknown): Finding => {
  const reason = reasonOf(error)
  const check = /certificate|TLS/.test(reason) ? "TLS" : "connect"
  const { remedy = "Check the base URL, and a firewall in between." } =
    NetworkFailure.explain(error)
  return fail(check, `${host}: ${reason}.`, remedy.replace("the base URL", setting))
}

/** Checks the way to the host of a setting. */
export const way = (setting: string, url: URL, options: network.Options) =>
  Effect.gen(function* () {
    const { proxy } = options
    const { host, hostname, port, protocol } = url
    const target = { setting, host: `${hostname}:${port === "" ? 443 : port}` }
    const { afterMillis, answer, beforeMillis, tunnel } = yield* ask(url, options)
    const error = Either.isLeft(answer) ? answer.left : undefined
    const first =
      proxy === undefined || tunnel === undefined
        ? yield* direct(url, setting, proxy !== undefined)
        : [proxied(tunnel, proxy, target, error)]
    if (first.some(({ level }) => level === "fail")) return first
    if (Either.isLeft(answer)) return [...first, unreached(host, setting, answer.left)]
    const trust = protocol === "http:" ? "on this machine, without TLS" : "trusted"
    const date = [answer.right["date"]].flat()[0]
    return [
      ...first,
      ok("TLS", `${host} is ${trust}.`),
      clock.compare(host, date, beforeMillis, afterMillis)
    ]
  })
