/** The executions that a body has started and awaits. The end of each becomes a step of the body. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Body from "../Body.js"
import { exitCodec } from "../Encoding.js"
import * as Execution from "../Execution.js"
import type * as ownedRun from "./ownedRun.js"

const codec = exitCodec(
  Schema.Struct({
    hasFailed: Schema.Boolean,
    /** Its encoded `Exit`, as JSON. */
    exit: Schema.String,
    outcome: Schema.optional(Schema.Literal("applied", "notApplied", "unknown")),
    resource: Schema.optional(Schema.String)
  }),
  Schema.Never
)

/** The name of the pause in which a body waits for an execution. */
export const pauseOf = (executionId: string): string => `${Execution.Pause.child}/${executionId}`

export const stepOf = (pause: string): string => `${pause}/1`

export const { toJson } = codec

export const fromJson = (stored: string) => Effect.orDie(Effect.flatten(codec.fromJson(stored)))

/**
 * Takes over what earlier runs of a body know of the executions that it awaits: one that fails beside others may end the
 * body before it comes to them.
 */
export const note = (
  { clocks }: ownedRun.Run,
  results: Effect.Effect<ReadonlyMap<string, string>>,
  money: Body.SideEffects
) =>
  Effect.gen(function* () {
    const pauses = [...clocks.keys()].filter((pause) => pause.startsWith(pauseOf("")))
    if (pauses.length === 0) return
    const known = yield* results
    for (const pause of pauses) {
      const stored = known.get(stepOf(pause))
      if (stored === undefined) money.open.add(pause)
      else Body.add(money, yield* fromJson(stored))
    }
  })
