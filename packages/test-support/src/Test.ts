/** Defines a test by its steps. Its scope closes at its end. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as TestServices from "effect/TestServices"
import type { Steps } from "./Steps.js"

/** With a clock and random numbers for tests. */
export const effect = (
  title: string,
  steps: () => Steps<TestServices.TestServices | Scope.Scope>,
  timeout?: number
) => it.scoped(title, () => Effect.gen(steps), timeout)

/** In real time. */
export const live = (title: string, steps: () => Steps<Scope.Scope>, timeout?: number) =>
  it.scopedLive(title, () => Effect.gen(steps), timeout)
