/**
 * An undici dispatcher without sockets: it takes every request, and never answers one.
 */
import * as Undici from "undici"

export class FakeDispatcher extends Undici.Dispatcher {
  /** Requests that were taken. */
  begun = 0
  /** Requests that were aborted. */
  aborted = 0

  override dispatch(
    _: Undici.Dispatcher.DispatchOptions,
    handler: Undici.Dispatcher.DispatchHandler
  ): boolean {
    const controller: Undici.Dispatcher.DispatchController = {
      aborted: false,
      paused: false,
      reason: null,
      abort: (reason) => {
        this.aborted++
        handler.onResponseError?.(controller, reason)
      },
      pause: () => {},
      resume: () => {}
    }
    this.begun++
    handler.onRequestStart?.(controller, {})
    return true
  }
}
