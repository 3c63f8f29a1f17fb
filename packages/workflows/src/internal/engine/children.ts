/** The executions that a body has started and awaits. The end of each becomes a step of the body. */
import * as Effect from "effect/Effect"
import * as blocks from "../blocks.js"
import type * as ownedRun from "./ownedRun.js"
import * as transitions from "./transitions.js"

/** The end of an execution, as a step of the body that awaits it. */
interface Child extends blocks.Ended {
  /** Its encoded `Exit`, as JSON. */
  readonly exit: string
}

/** The name of the pause in which a body waits for an execution. */
export const pauseOf = (executionId: string): string => `${transitions.child}/${executionId}`

export const stepOf = (pause: string): string => `${pause}/1`

/** As every step, it is an encoded `Exit`. */
export const toJson = (value: Child): string => JSON.stringify({ _tag: "Success", value })

export const fromJson = (stored: string): Child => JSON.parse(stored).value

/**
 * Takes over what earlier runs of a body know of the executions that it awaits: one that fails beside others may end the
 * body before it comes to them.
 */
export const note = (
  { clocks }: ownedRun.Run,
  results: Effect.Effect<ReadonlyMap<string, string>>,
  money: blocks.Money
) =>
  Effect.gen(function* () {
    const pauses = [...clocks.keys()].filter((pause) => pause.startsWith(pauseOf("")))
    if (pauses.length === 0) return
    const known = yield* results
    for (const pause of pauses) {
      const stored = known.get(stepOf(pause))
      if (stored === undefined) money.open.add(pause)
      else blocks.add(money, fromJson(stored))
    }
  })
