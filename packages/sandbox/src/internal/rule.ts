/**
 * What the service does at one moment.
 */
import type * as Either from "effect/Either"
import type { Refusal } from "./refusal.js"

/**
 * Decides and stores in one step: nothing can come between its parts, however many requests there
 * are at once.
 */
export type Rule<A> = (nowMillis: number) => Either.Either<A, Refusal>
