/**
 * The base URL of a gateway: https except on loopback, without credentials, query or fragment.
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import { ConfigurationError } from "../../Errors.js"

export interface Root {
  /** Scheme, host and port. */
  readonly origin: string
  readonly hostname: string
  readonly port: number
  /** Without a trailing slash. */
  readonly path: string
}

export const parse = (field: string, text: string): Either.Either<Root, ConfigurationError> => {
  const invalid = (rule: string) => Either.left(new ConfigurationError({ field, rule }))
  if (!URL.canParse(text)) return invalid(`must be an absolute URL, such as "https://host/api/v1"`)
  const url = new URL(text)
  if (url.username !== "" || url.password !== "" || /[?#]/.test(text)) {
    return invalid("must not contain credentials, a query or a fragment")
  }
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) {
    return Either.right({
      origin: url.origin,
      hostname: url.hostname,
      // A URL leaves out the default port of its scheme.
      port: Number(url.port) || (url.protocol === "https:" ? 443 : 80),
      path: url.pathname.replace(/\/+$/, "")
    })
  }
  return invalid("must start with https:// (http:// is allowed on loopback only)")
}

/** A base URL from the configuration, validated when it is read. */
export const config = (name: string): Config.Config<string> =>
  Config.mapOrFail(Config.nonEmptyString(name), (text) =>
    Either.mapBoth(parse(name, text), {
      onLeft: ({ rule }) => ConfigError.InvalidData([], rule),
      onRight: () => text
    })
  )

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" ||
  hostname.endsWith(".localhost") ||
  hostname === "[::1]" ||
  /^127(\.\d{1,3}){3}$/.test(hostname)
