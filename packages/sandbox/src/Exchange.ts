/**
 * What passed between a caller and the sandbox. An exchange knows no token, no header but the key,
 * and keeps the body where no print shows it.
 *
 * @since 0.1.0
 */
import type * as Redacted from "effect/Redacted"

/**
 * How an exchange ended.
 *
 * | outcome            | meaning                                                          |
 * | ------------------ | ---------------------------------------------------------------- |
 * | a status           | answered so                                                      |
 * | `"dropped before"` | the connection was broken before the request was processed       |
 * | `"dropped after"`  | processed, and the connection broken before a byte of the answer |
 * | `"abandoned"`      | the caller went away before it was answered                      |
 * | `"open"`           | not ended yet                                                    |
 *
 * @since 0.1.0
 * @category models
 */
export type Outcome = number | "dropped before" | "dropped after" | "abandoned" | "open"

/**
 * @since 0.1.0
 * @category models
 */
export interface Exchange {
  /** Counts the requests since the sandbox began, from 0, in the order of their arrival. */
  readonly index: number
  /** The operation, such as `Payments.create`; `undefined` for a route that there is not. */
  readonly operation: string | undefined
  readonly method: string
  /** The idempotency key as it came: in its header, or in the body where the operation has it. */
  readonly key: string | undefined
  /** The body as it came, byte for byte. */
  readonly body: Redacted.Redacted<Uint8Array>
  readonly outcome: Outcome
  /** When it arrived, by the clock. */
  readonly atMillis: number
  /** How long it took; `undefined` while it is open. */
  readonly tookMillis: number | undefined
}

/**
 * The exchanges as lines of text, one each, with the time since the first.
 *
 * ```
 *    0 ms  POST Token.obtain  200
 *   12 ms  POST Payments.create  key=order:42  dropped after
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
    .map(({ key, method, operation, outcome }, index) =>
      [
        `${(times[index] ?? "").padStart(width)} ms`,
        `${method} ${operation ?? "(no such operation)"}`,
        ...(key === undefined ? [] : [`key=${key}`]),
        String(outcome)
      ].join("  ")
    )
    .join("\n")
}
