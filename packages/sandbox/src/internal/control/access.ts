/**
 * Access to the control API. A page of another site can make a browser send requests to the sandbox, and
 * can point its own host name at this machine. Such requests have a foreign `Origin` or `Host`.
 */
import * as ControlApi from "../../ControlApi.js"
import type { Controls } from "../http/incoming.js"
import * as Effect from "effect/Effect"
import { isIP } from "node:net"

type Headers = Readonly<Record<string, string | undefined>>

/** Whether the control API is on, and the caller is the user. */
export const check = (
  headers: Headers,
  controls: Controls
): Effect.Effect<void, ControlApi.ControlError> => {
  if (!controls.enabled) return disabled
  return controls.isElsewhere === true ? elsewhere : checkCaller(headers, controls)
}

/** Whether the caller is the user or one of the sandbox's own pages. */
export const checkCaller = (
  headers: Headers,
  { hostNames = [] }: Controls
): Effect.Effect<void, ControlApi.ControlError> => {
  const { host } = headers
  if (host !== undefined && !isOwnName(nameIn(host), hostNames)) return foreignHost
  return isOwnOrigin(headers) ? Effect.void : foreignOrigin
}

export const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"])

/** The host name without its port and the brackets of an IPv6 address. */
const nameIn = (host: string): string =>
  host
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase()

/** An attacker can choose the address of a host name, but an IP address is its own name. */
const isOwnName = (name: string, hostNames: ReadonlyArray<string>): boolean =>
  name === "localhost" ||
  name.endsWith(".localhost") ||
  isIP(name) !== 0 ||
  hostNames.some((one) => one.toLowerCase() === name)

/** Only browsers send these headers. A request of the user, such as a typed address, has site `none`. */
const isOwnOrigin = ({ host, origin, "sec-fetch-site": site }: Headers): boolean =>
  (origin === undefined || origin === `http://${host}`) &&
  (site === undefined || site === "same-origin" || site === "none")

const forbidden = (code: string, message: string, issues: ControlApi.ControlError["issues"] = []) =>
  new ControlApi.ControlError({ status: 403, code, message, issues })

const disabled = forbidden(
  "CONTROL_OFF",
  "The control API is off, because the sandbox listens on more than this machine. The option `control` (--control) turns it on."
)

const elsewhere = forbidden(
  "CONTROL_ELSEWHERE",
  "The control API has its own port, set by the option `controlPort` (--control-port)."
)

const foreignHost = forbidden(
  "FOREIGN_HOST",
  "The host name of the request is not the sandbox's own.",
  [
    {
      field: "headers.host",
      rule: "must be localhost, an IP address, the host that the sandbox listens on, or one of the option `allowHosts` (--allow-host)"
    }
  ]
)

const foreignOrigin = forbidden(
  "FOREIGN_ORIGIN",
  "The request comes from a page of another site.",
  [{ field: "headers.origin", rule: "must be the sandbox's own origin, or absent" }]
)
