/**
 * The log of requests that reached the sandbox, with their responses. An exchange records no header except the
 * idempotency key and the correlation id. Both bodies are redacted when printed.
 *
 * @since 0.1.0
 */
import type * as Redacted from "effect/Redacted"

/**
 * How an exchange ended.
 *
 * | ending             | meaning                                                          |
 * | ------------------ | ---------------------------------------------------------------- |
 * | a status           | the status of the response                                       |
 * | `"request lost"` | the connection was closed before the request was processed       |
 * | `"response lost"`  | the connection was closed after processing, before the response  |
 * | `"caller left"`    | the caller disconnected before the response                      |
 * | `"open"`           | still in progress                                                |
 *
 * @since 0.1.0
 * @category models
 */
export type Ending = number | "request lost" | "response lost" | "caller left" | "open"

/**
 * A request that reached the sandbox, and how it ended.
 *
 * @since 0.1.0
 * @category models
 */
export interface Exchange {
  /** The number of requests that arrived earlier, so the first is 0. */
  readonly index: number
  /** The operation, such as `Payments.create`; `undefined` for an unknown route. */
  readonly operation: string | undefined
  readonly method: string
  /** The path of the request, without its query. */
  readonly path: string
  /** The idempotency key as received, from the header or the body field of the operation. */
  readonly key: string | undefined
  /** The correlation id as received; otherwise the one that the sandbox chose. */
  readonly correlationId: string
  /** The body as received, byte for byte. */
  readonly body: Redacted.Redacted<Uint8Array>
  readonly ending: Ending
  /** The body of the response as sent; `undefined` if there was none, and in all but the newest 1,000. */
  readonly response: Redacted.Redacted<Uint8Array> | undefined
  /** Whether the key belonged to an earlier request, whose result was returned again. */
  readonly replay: boolean
  /** The fault that applied. */
  readonly fault: AppliedFault | undefined
  /** Values that the service may refuse though the sandbox accepts them, without the values of persons. */
  readonly warnings: ReadonlyArray<string>
  /** The time of arrival, by the sandbox's clock. */
  readonly atMillis: number
  /** The duration; `undefined` while the exchange is open. */
  readonly tookMillis: number | undefined
}

/**
 * A fault that applied to a request.
 *
 * @since 0.1.0
 * @category models
 */
export interface AppliedFault {
  /** Such as `drop_after`; of a scenario, its name. */
  readonly name: string
  /** Whether it answered or closed the connection, and the service did not process the request. */
  readonly answersInstead: boolean
}

/**
 * Formats exchanges as text, one per line, with the time since the first.
 *
 * ```
 *    0 ms  POST Token.obtain  200
 *   12 ms  POST Payments.create  key=order:42  response lost
 *  263 ms  POST Payments.create  key=order:42  201
 * ```
 *
 * @since 0.1.0
 * @category printing
 */
export const timeline = (exchanges: ReadonlyArray<Exchange>): string => {
  const start = exchanges[0]?.atMillis ?? 0
  const times = exchanges.map(({ atMillis }) => String(Math.round(atMillis - start)))
  const width = times.reduce((longest, { length }) => Math.max(longest, length), 0)
  return exchanges
    .map(({ ending, key, method, operation }, index) =>
      [
        `${(times[index] ?? "").padStart(width)} ms`,
        `${method} ${operation ?? "(no such operation)"}`,
        ...(key === undefined ? [] : [`key=${key}`]),
        String(ending)
      ].join("  ")
    )
    .join("\n")
}
