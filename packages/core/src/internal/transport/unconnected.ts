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
  channels?.subscribe("undici:client:connectError", (message) => {
    const error = errorIn(message)
    add(error)
    renameEnd(error)
  })
  channels?.subscribe("http.client.request.error", (message) => {
    const isHandshaking =
      Predicate.hasProperty(message, "request") &&
      Predicate.hasProperty(message.request, "socket") &&
      Predicate.hasProperty(message.request.socket, "secureConnecting") &&
      message.request.socket.secureConnecting === true
    if (isHandshaking) add(errorIn(message))
  })
}

const errorIn = (message: unknown): unknown =>
  Predicate.hasProperty(message, "error") ? message.error : undefined

const add = (error: unknown): void => {
  if (Predicate.isObject(error)) errors.add(error)
}

/**
 * undici 7 takes this code for the end of an established connection. If a proxy closes the connection before it opens a
 * tunnel, it connects again without end, even after the request was aborted (nodejs/undici#3897). undici 8 has a code
 * of its own for this end.
 */
const renameEnd = (error: unknown): void => {
  if (Predicate.hasProperty(error, "code") && error.code === "UND_ERR_SOCKET") {
    error.code = "UND_ERR_PRX_CONN"
  }
}
