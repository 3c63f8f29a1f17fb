import type * as Effect from "effect/Effect"
import type { YieldWrap } from "effect/Utils"

/** The steps of a test, which may need services. */
export type Steps<R> = Generator<YieldWrap<Effect.Effect<unknown, unknown, R>>, unknown>
