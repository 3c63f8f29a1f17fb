/**
 * An undici dispatcher without sockets: it takes every request, and never answers one.
 */
import * as Undici from "undici"

export class FakeDispatcher extends Undici.Dispatcher {
  /** Starts the last request on a connection. */
  start = () => {}
  /** Requests that were taken. */
  begun = 0
  /** Requests that were aborted. */
  aborted = 0

  /** Without a connection, requests wait for `start`. */
  constructor(private readonly isConnected = true) {
    super()
  }

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
    this.start = () => handler.onRequestStart?.(controller, {})
    if (this.isConnected) this.start()
    return true
  }
}
