/** Defines a test by its steps. Its scope closes at its end. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as TestServices from "effect/TestServices"
import type { Steps } from "./Steps.js"

type Needs = TestServices.TestServices | Scope.Scope

/** With a clock and random numbers for tests. */
export const effect = (title: string, steps: () => Steps<Needs>, timeout?: number) =>
  it.scoped(title, () => Effect.gen(steps), timeout)

/** In real time. */
export const live = (title: string, steps: () => Steps<Scope.Scope>, timeout?: number) =>
  it.scopedLive(title, () => Effect.gen(steps), timeout)

/** Defines tests over a layer that each of them builds anew. */
export const over = <A>(layer: Layer.Layer<A, unknown>) => ({
  effect: (title: string, steps: () => Steps<NoInfer<A> | Needs>, timeout?: number) =>
    it.scoped(title, () => Effect.provide(Effect.gen(steps), layer), timeout),
  live: (title: string, steps: () => Steps<NoInfer<A> | Scope.Scope>, timeout?: number) =>
    it.scopedLive(title, () => Effect.provide(Effect.gen(steps), layer), timeout)
})
