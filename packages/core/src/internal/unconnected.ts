/**
 * The errors of connections that were never established, as undici and `node:http` report them on Node's diagnostics
 * channels. An error alone does not tell: a TLS alert or a reset is the same before and after a request was sent.
 */
import * as Predicate from "effect/Predicate"

const errors = new WeakSet<object>()

/** Whether no byte of a request was sent on the connection of this error. */
export const has = (error: object): boolean => errors.has(error)

let isWatching = false

/** Starts to observe the connections of this process. */
export const watch = (): void => {
  if (isWatching) return
  isWatching = true
  // Absent in browsers and workers, where an import would fail.
  const channels = globalThis.process?.getBuiltinModule?.("node:diagnostics_channel")
  // undici fails each request that waits for the connection with this error.
  channels?.subscribe("undici:client:connectError", (message) => add(message, "error"))
  channels?.subscribe("http.client.request.error", (message) => {
    const isHandshaking =
      Predicate.hasProperty(message, "request") &&
      Predicate.hasProperty(message.request, "socket") &&
      Predicate.hasProperty(message.request.socket, "secureConnecting") &&
      message.request.socket.secureConnecting === true
    if (isHandshaking) add(message, "error")
  })
}

const add = (message: unknown, name: string): void => {
  const error = Predicate.hasProperty(message, name) ? message[name] : undefined
  if (Predicate.isObject(error)) errors.add(error)
}
