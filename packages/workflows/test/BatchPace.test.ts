/** How many requests of a batch go on at once, after each event. */
import { assert, it } from "@effect/vitest"
import type * as Batches from "@manilla/workflow-engine/Batches"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as pace from "../src/internal/batch/pace.js"

const day = 86_400
const states = (...all: ReadonlyArray<Batches.State>) =>
  all.map((state, number): Batches.Change => ({ number, state }))
const refused = states("created", "waiting")
const answered = states("created")

/** Seconds after the first, the ends of requests, and how many may go on. */
type Step = readonly [seconds: number, ended: ReadonlyArray<Batches.Change>, allowed: number]

const cases: Readonly<Record<string, ReadonlyArray<Step>>> = {
  "all, while none is refused": [
    [0, [], 8],
    [1, answered, 8]
  ],
  "none in a pause after a refusal, then one": [
    [0, refused, 0],
    [0.4, answered, 0],
    [2, [], 1]
  ],
  "as many as before, after as many answers": [
    [0, refused, 0],
    [2, [], 1],
    [2, answered, 2],
    [2, [], 2],
    [2, answered, 4],
    [2, answered, 8],
    [2, answered, 8]
  ],
  "one after a short pause again, when a refusal follows an answer": [
    [0, refused, 0],
    [1, refused, 0],
    [3, answered, 2],
    [4, refused, 0],
    [4.9, [], 0],
    [5, [], 1]
  ],
  "one again after each refusal, later each time, and at most a minute": [
    [0, refused, 0],
    [1, refused, 0],
    [1.9, [], 0],
    [3, refused, 0],
    [7, refused, 0],
    [15, refused, 0],
    [31, refused, 0],
    [63, refused, 0],
    [122, [], 0],
    [123, refused, 0],
    [182, [], 0],
    [183, [], 1]
  ],
  "one after a clock that was set back by a day, or forward": [
    [0, refused, 0],
    [-day, [], 1],
    [-day, answered, 2],
    [-day, refused, 0],
    [0, [], 1]
  ],
  "none for a minute at most after a clock that was set back by less": [
    [0, refused, 0],
    [-50, [], 0],
    [9, [], 1]
  ],
  "each kind of end but a refusal counts as an answer": (
    ["created", "unknown", "pending", "completed", "notCompleted", "failed", "inDoubt"] as const
  ).flatMap((state): ReadonlyArray<Step> => [
    [0, refused, 0],
    [100, [], 1],
    [100, states(state), 2]
  ])
}

it.effect.each(Object.entries(cases))("%s", ([, steps]) =>
  Effect.gen(function* () {
    let start = 0
    let next = pace.make({ batchKey: "payroll", concurrency: 8 })
    for (const [i, [seconds, ended, allowed]] of steps.entries()) {
      // Each refusal of the last case is the first one of a batch.
      if (seconds === 0 && i > 0 && ended === refused) {
        next = pace.make({ batchKey: "payroll", concurrency: 8 })
        start += day * 1_000
      }
      const now = 10 * day * 1_000 + start + seconds * 1_000
      assert.strictEqual(yield* next(ended, now), allowed, `step ${i + 1}, after ${seconds} s`)
    }
  }).pipe(Effect.withRandom(Random.fixed([1])))
)
