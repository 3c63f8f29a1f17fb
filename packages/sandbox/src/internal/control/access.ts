/**
 * Access to the control API. A page of another site can make a browser send requests to the sandbox, and
 * can point its own host name at this machine. Such requests have a foreign `Origin` or `Host`.
 */
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Sandbox from "../../Sandbox.js"
import * as refusal from "../rules/refusal.js"

/** The controls of the sandbox. */
export interface Controls {
  /** Available when the sandbox listens. */
  readonly sandbox: Effect.Effect<Sandbox.Service>
  /** Whether the control API is on. */
  readonly enabled: boolean
  /** The host names by which it can be called, besides `localhost` and IP addresses. */
  readonly hostNames?: ReadonlyArray<string>
  /** Reads a file of the folder `page`. A sandbox in process serves no files, so it also runs in browsers. */
  readonly readPage?: (name: string) => Effect.Effect<string, unknown>
}

type Headers = Readonly<Record<string, string | undefined>>

type Checked = Either.Either<void, refusal.Refusal>

/** Whether the control API is on, and the caller is the user. */
export const check = (headers: Headers, controls: Controls): Checked =>
  controls.enabled ? checkCaller(headers, controls) : Either.left(refusal.of("CONTROL_OFF"))

/** Whether the caller is the user or one of the sandbox's own pages. */
export const checkCaller = (headers: Headers, { hostNames = [] }: Controls): Checked => {
  const { host } = headers
  if (host !== undefined && !isOwnName(nameIn(host), hostNames)) {
    const rule =
      "must be localhost, an IP address, the host that the sandbox listens on, or one of the option `allowHosts` (--allow-host)"
    return refusal.because("FOREIGN_HOST", "headers.host", rule)
  }
  return isOwnOrigin(headers)
    ? Either.void
    : refusal.because("FOREIGN_ORIGIN", "headers.origin", "must be the sandbox's own, or absent")
}

export const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"])

/** The host name without its port and the brackets of an IPv6 address. */
const nameIn = (host: string): string =>
  host
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase()

/** Browsers read a name of digits and dots as an IPv4 address or not at all. */
const ipAddress = /^[\d.]+$|^[\da-f:]*:[\da-f:.]*$/

/** An attacker can choose the address of a host name, but an IP address is its own name. */
const isOwnName = (name: string, hostNames: ReadonlyArray<string>): boolean =>
  name === "localhost" ||
  name.endsWith(".localhost") ||
  ipAddress.test(name) ||
  hostNames.some((one) => one.toLowerCase() === name)

/** Only browsers send these headers. A request of the user, such as a typed address, has site `none`. */
const isOwnOrigin = ({ host, origin, "sec-fetch-site": site }: Headers): boolean =>
  (origin === undefined || origin === `http://${host}`) &&
  (site === undefined || site === "same-origin" || site === "none")
