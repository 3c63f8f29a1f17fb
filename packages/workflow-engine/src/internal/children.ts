/** The executions that a body has started and awaits. The end of each becomes a step of the body. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Body from "../Body.js"
import { exitCodec } from "../Encoding.js"
import * as Execution from "../Execution.js"

export const codec = exitCodec(
  Schema.Struct({
    hasFailed: Schema.Boolean,
    /** Its encoded `Exit`, as JSON. */
    exit: Schema.String,
    outcome: Schema.optional(Execution.Outcome),
    resource: Schema.optional(Schema.String)
  }),
  Schema.Never
)

/** The name of the pause in which a body waits for an execution. */
export const pauseOf = (executionId: string): string => `${Execution.Pause.child}/${executionId}`

/** The name of the step that is stored before the execution. */
export const begunOf = (pause: string): string => `${pause}/begun`

const begunPattern = new RegExp(`^(${Execution.Pause.child}/.*)/begun$`)

/** The first round of a write. Its step is stored with its attempt. */
const writePattern = new RegExp(`^${Body.begin("(.+)", 0)}/1$`)

/** The name of the step that is the end of the execution. */
export const stepOf = (pause: string): string => `${pause}/1`

/**
 * Takes over what earlier runs of a body have begun, executions and writes: a later one may end before it comes to
 * them.
 */
export const note = (results: ReadonlyMap<string, string>, sideEffects: Body.SideEffects) =>
  Effect.gen(function* () {
    for (const name of results.keys()) {
      const [, write] = writePattern.exec(name) ?? []
      if (write !== undefined) sideEffects.open.add(write)
      const [, pause] = begunPattern.exec(name) ?? []
      if (pause === undefined) continue
      const stored = results.get(stepOf(pause))
      if (stored === undefined) sideEffects.open.add(pause)
      else Body.end(sideEffects, pause, yield* Effect.orDie(Effect.flatten(codec.fromJson(stored))))
    }
  })
