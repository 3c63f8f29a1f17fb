/**
 * The files of a report. Only Node has them.
 */
import * as Effect from "effect/Effect"
import { writeFile } from "node:fs/promises"
import { Problem } from "./trial.js"

export const write = (path: string, text: string) =>
  Effect.tryPromise({
    try: () => writeFile(path, text),
    catch: (cause) => new Problem({ message: `${path} is not written: ${String(cause)}` })
  })
