/**
 * A process leaves nothing behind.
 */
import type { Evidence } from "./Evidence.js"

/** Closing the scope of a process ends all its requests at once. */
export const endCleanly = ({ processEndsMillis, sent }: Evidence): ReadonlyArray<string> =>
  sent.flatMap(({ atMillis, closedMillis, number, process }) => {
    const endMillis = processEndsMillis.get(process) ?? Infinity
    if (atMillis > endMillis) return [`#${number} was sent after the end of process ${process}`]
    return closedMillis > endMillis
      ? [`#${number} continued after the end of process ${process}`]
      : []
  })
