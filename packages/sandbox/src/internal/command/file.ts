/**
 * The files that options of the command name.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { readFile, stat } from "node:fs/promises"
import { UsageError } from "./cli.js"

export const reasonOf = (cause: unknown): string =>
  Predicate.isError(cause) ? cause.message : String(cause)

/** Reads the file of an option with a decoder, which fails with the reason. */
export const use =
  <A>(flag: string, decode: (text: string) => Effect.Effect<A, string>) =>
  (path: string): Effect.Effect<A, UsageError> =>
    Effect.tryPromise({
      try: async () => {
        // To open a FIFO would wait for a writer, and no signal would end that.
        if (!(await stat(path)).isFile()) throw new Error("it is not a regular file")
        return readFile(path, "utf8")
      },
      catch: reasonOf
    }).pipe(
      Effect.flatMap(decode),
      Effect.mapError(
        (reason) => new UsageError({ message: `${flag} cannot use ${path}: ${reason}` })
      )
    )
