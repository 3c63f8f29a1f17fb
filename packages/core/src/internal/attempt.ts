/**
 * One attempt of a call: obtains a token, sends the request, and reads the response. The transport ends
 * the attempt at its timeout.
 */
import * as Effect from "effect/Effect"
import type * as BearerTokens from "../BearerTokens.js"
import type * as Operation from "../Operation.js"
import * as Sensitive from "../Sensitive.js"
import type * as transports from "./transport.js"
import * as bearers from "./bearer.js"
import type { Encoded } from "./request.js"
import * as response from "./response.js"
import type { Root } from "./rootUrl.js"
import * as sanitize from "./sanitize.js"

export interface Parameters {
  readonly name: string
  readonly operation: Operation.Operation
  readonly transport: transports.Transport
  readonly tokens: BearerTokens.Service | undefined
  readonly root: Root
  readonly bodyLimit: number
}

export interface Attempt {
  readonly response: response.Response
  /** The token that the request was sent with. */
  readonly bearer: bearers.Bearer | undefined
}

/** The call that an attempt belongs to. Its times are functions, because a token may take long. */
export interface Call {
  readonly request: Encoded
  readonly now: () => number
  /** The time left in which the attempt may start. */
  readonly leftMillis: () => number
  /** The timeout of the attempt. */
  readonly attemptMillis: () => number
  /** Runs when the request is passed to the transport. */
  readonly onSend: () => void
  readonly traceparent: string | undefined
}

export const compile = (parameters: Parameters) => {
  const { bodyLimit, name, operation, root, tokens, transport } = parameters
  const { access, method, payload } = operation
  const reader = response.compile(name, operation)
  const source = bearers.make(name, tokens)
  const sensitive = payload === undefined ? () => [] : Sensitive.values(payload)

  const perform = (call: Call): Effect.Effect<Attempt> => {
    if (access === "credentials") return send(call, undefined)
    const held = source.held(call.now())
    if (held !== undefined) return authorized(call, held)
    return Effect.flatMap(source.obtain(call), (bearer) => authorized(call, bearer))
  }

  const authorized = (call: Call, bearer: bearers.Bearer | response.Failure) =>
    bearer._tag === "Failure"
      ? Effect.succeed({ response: bearer, bearer: undefined })
      : send(call, bearer)

  const secretsOf = ({ payload }: Encoded, bearer: bearers.Bearer | undefined) => [
    ...sensitive(payload).map(sanitize.secret),
    ...(bearer === undefined ? [] : [bearer.secret])
  ]

  const send = (call: Call, bearer: bearers.Bearer | undefined): Effect.Effect<Attempt> => {
    const { request, traceparent } = call
    call.onSend()
    const headers: Record<string, string> = { ...request.headers }
    if (bearer !== undefined) headers["authorization"] = bearer.authorization
    if (traceparent !== undefined) headers["traceparent"] = traceparent
    const sent = transport.send({
      method,
      origin: root.origin,
      path: root.path + request.target,
      headers,
      body: request.body,
      timeoutMillis: call.attemptMillis(),
      bodyLimit
    })
    return Effect.map(sent, (result) => {
      /** Made at most once, and only if there is something to show. */
      let sanitizer: sanitize.Sanitizer | undefined
      const context: response.Context = {
        request,
        grantedScopes: bearer?.token.scopes ?? [],
        sanitizer: () => (sanitizer ??= sanitize.make(secretsOf(request, bearer))),
        nowMillis: call.now()
      }
      return { response: reader.read(result, context), bearer }
    })
  }

  return { perform, reject: source.reject, meta: reader.meta }
}
