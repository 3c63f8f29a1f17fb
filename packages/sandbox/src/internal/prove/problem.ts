import * as Data from "effect/Data"

/** The proof cannot go on. The message has the remedy. */
export class Problem extends Data.TaggedError("Problem")<{ readonly message: string }> {}
