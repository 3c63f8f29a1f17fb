/**
 * The options of `fetch` with which a request is sent once: without redirects, caches, and retries by the runtime.
 */
import * as Predicate from "effect/Predicate"

/** `client` is Deno's: a pool of connections. */
type Init = RequestInit & { readonly client?: unknown }

interface Inits {
  readonly read: Init
  readonly write: Init
}

/** The options for a method. A `fetch` ignores those that it does not know. */
export const of = (method: "GET" | "POST"): Init => {
  inits ??= make()
  return method === "GET" ? inits.read : inits.write
}

/** Made once for the process, because Deno never frees a client that is not closed. */
let inits: Inits | undefined

const make = (): Inits => {
  const read: Init = { redirect: "manual", ...withoutCache() }
  return { read, write: { ...read, ...onOwnConnection() } }
}

/** A framework such as Next.js stores responses, also those with tokens. Some versions of workerd throw on the option. */
const withoutCache = (): Init => {
  const init: Init = { cache: "no-store" }
  try {
    new Request("http://localhost", init)
    return init
  } catch {
    return {}
  }
}

/**
 * If a reused connection closes before the response, Deno sends a POST again, as Bun did before 1.3.14, although the
 * service may have processed it (denoland/deno#36415, oven-sh/bun#28708). They never do so on a new connection.
 */
const onOwnConnection = (): Init => {
  const deno: unknown = Reflect.get(globalThis, "Deno")
  if (isDeno(deno)) return { client: deno.createHttpClient({ poolMaxIdlePerHost: 0 }) }
  const bun: unknown = Reflect.get(globalThis, "Bun")
  return isBun(bun) && bun.semver.order(bun.version, "1.3.14") < 0 ? { keepalive: false } : {}
}

interface Deno {
  readonly createHttpClient: (options: { readonly poolMaxIdlePerHost: number }) => unknown
}

const isDeno = (runtime: unknown): runtime is Deno =>
  Predicate.hasProperty(runtime, "createHttpClient")

interface Bun {
  readonly version: string
  readonly semver: { readonly order: (one: string, other: string) => number }
}

const isBun = (runtime: unknown): runtime is Bun => Predicate.hasProperty(runtime, "semver")
