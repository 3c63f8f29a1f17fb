// In-process servers that respond in the next turn of the event loop, or never.
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Effect from "effect/Effect"
import { Dispatcher } from "undici"

export interface Answer {
  readonly status: number
  readonly body: string
  /** Called when the response reaches the client. */
  readonly onDelivery?: () => void
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
        answer.onDelivery?.()
        handler.onResponseStart?.(controller, answer.status, headers)
        handler.onResponseData?.(controller, Buffer.from(answer.body))
        handler.onResponseEnd?.(controller, {})
      })
    }
    return true
  }
}

/** Manilla's `UndiciClient` over the stub instead of undici's connections. */
export const lean = (reply: Reply): HttpClient.HttpClient => UndiciClient.make(new Stub(reply))

/** A generic client over the stub. */
export const plain = (reply: Reply): HttpClient.HttpClient =>
  HttpClient.make((request, { pathname }) => {
    const answer = reply(pathname)
    return answer === undefined
      ? Effect.never
      : Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(answer.body, answer)))
  })
