import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"

/** Another process has taken over. Trying again would not help. */
export class LockLost extends Data.TaggedError("LockLost")<{ readonly message: string }> {}

/** Whether an error or one of its causes is a `LockLost`. */
export const isLockLost = (error: unknown): boolean =>
  error instanceof LockLost || (Predicate.isRecord(error) && isLockLost(error["cause"]))
