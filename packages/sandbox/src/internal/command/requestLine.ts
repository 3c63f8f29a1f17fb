/**
 * An exchange as a line on the terminal: `POST /api/v1/payments  201  3 ms  replay  fault drop_after`.
 */
import type { Exchange } from "../../Exchange.js"

export const make = ({ fault, method, outcome, path, replay, tookMillis }: Exchange): string =>
  [
    `${method} ${path}`,
    String(outcome),
    ...(tookMillis === undefined ? [] : [`${tookMillis} ms`]),
    ...(replay ? ["replay"] : []),
    ...(fault === undefined ? [] : [`fault ${fault.name}`])
  ].join("  ")
