/**
 * What is left of a process after its end: nothing.
 */
import type { Evidence } from "./Evidence.js"

/** With its scope all that a process has under way is let go, in that moment. */
export const endedWhole = ({ processEndsMillis, sent }: Evidence): ReadonlyArray<string> =>
  sent.flatMap(({ atMillis, closedMillis, number, process }) => {
    const endMillis = processEndsMillis.get(process) ?? Infinity
    if (atMillis > endMillis) return [`#${number} was sent after the end of process ${process}`]
    return closedMillis > endMillis ? [`#${number} went on after process ${process} had ended`] : []
  })
