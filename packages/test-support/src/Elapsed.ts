/**
 * Runs an effect while the TestClock advances. A test fails at once if the effect does not end in time.
 */
import { assert } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"

export const during = <A, E, R>(
  duration: Duration.DurationInput,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    // A daemon: a test would wait for its other fibers, even after it failed.
    const fiber = yield* Effect.forkDaemon(effect)
    yield* TestClock.adjust(duration)
    const ended = yield* Fiber.poll(fiber)
    assert(Option.isSome(ended), `it did not end within ${Duration.format(duration)}`)
    return yield* ended.value
  })

/** Longer than any deadline of the tests. */
export const toTheEnd = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  during("1 hour", effect)
