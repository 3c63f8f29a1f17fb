// Servers in the same process: they answer in the next turn of the event loop, or never.
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Effect from "effect/Effect"
import { Dispatcher } from "undici"

export interface Answer {
  readonly status: number
  readonly body: string
}

/** What a request is answered with; nothing when it never is. */
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

/** Manilla's own client, on a stub instead of undici's connections. */
export const lean = (reply: Reply): HttpClient.HttpClient => UndiciClient.make(new Stub(reply))

/** Any other client. */
export const plain = (reply: Reply): HttpClient.HttpClient =>
  HttpClient.make((request, { pathname }) => {
    const answer = reply(pathname)
    return answer === undefined
      ? Effect.never
      : Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(answer.body, answer)))
  })
