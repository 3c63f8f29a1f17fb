// A gateway over an in-process server that responds in the next turn of the event loop, or never; and the
// measures of a process.
import { setTimeout as sleep } from "node:timers/promises"
import * as HttpClient from "@effect/platform/HttpClient"
import * as BearerTokens from "@manilla/core/BearerTokens"
import * as Gateway from "@manilla/core/Gateway"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Dispatcher } from "undici"
import { root, token } from "./messages.js"

export interface Answer {
  readonly status: number
  readonly body: string
}

/** The response to a request, or `undefined` for no response. */
export type Reply = (path: string) => Answer | undefined

const controller: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort: () => {},
  pause: () => {},
  resume: () => {}
}

const headers = { "content-type": "application/json" }

class Stub extends Dispatcher {
  constructor(private readonly reply: Reply) {
    super()
  }

  override dispatch({ path }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    handler.onRequestStart?.(controller, undefined)
    const answer = this.reply(path)
    if (answer !== undefined) {
      setImmediate(() => {
        handler.onResponseStart?.(controller, answer.status, headers)
        handler.onResponseData?.(controller, Buffer.from(answer.body))
        handler.onResponseEnd?.(controller, {})
      })
    }
    return true
  }
}

const tokens = Layer.sync(BearerTokens.BearerTokens, () => {
  const held = { value: Redacted.make(token), environment: "SANDBOX", scopes: [] }
  return { get: () => Effect.succeed(held), reject: () => Effect.void }
})

/** A gateway whose requests are answered by `reply`. */
export const gateway = (reply: Reply): Layer.Layer<Gateway.Gateway> =>
  Gateway.layer({ baseUrl: `http://127.0.0.1:1${root}` }).pipe(
    Layer.provide(tokens),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, UndiciClient.make(new Stub(reply)))),
    Layer.orDie
  )

/** The heap size after garbage collection. Requires `--expose-gc`. */
export const heapBytes = (): number => {
  if (globalThis.gc === undefined) throw new Error("The process requires --expose-gc")
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

const limitMillis = 10 * 60 * 1000

/** Waits until a condition holds, and fails after ten minutes. */
export const until = async (holds: () => boolean): Promise<void> => {
  const endMillis = performance.now() + limitMillis
  while (!holds()) {
    if (performance.now() > endMillis) throw new Error("The condition did not hold in ten minutes")
    await sleep(20)
  }
}
