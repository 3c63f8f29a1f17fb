/**
 * Rules of the service.
 */
import type * as Either from "effect/Either"
import type { Refusal } from "./refusal.js"

/**
 * Decides and stores in one synchronous step, so that concurrent requests cannot interleave.
 */
export type Rule<A> = (nowMillis: number) => Either.Either<A, Refusal>
