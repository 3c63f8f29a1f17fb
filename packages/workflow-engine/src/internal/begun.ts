/** The executions that a body has begun. Each has steps of the body, by which later runs know of it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Body from "../Body.js"
import { exitCodec } from "../Encoding.js"
import * as Execution from "../Execution.js"
import type * as Store from "../Store.js"

/** The end of an execution, as the body that waits for it keeps it. */
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

/** The end of an execution, if it has ended. */
export const endOf = ({ end, exit = "", outcome, resource }: Execution.Execution) =>
  end && { hasFailed: end.state !== "Succeeded", exit, outcome, resource }

/** The name of the pause in which a body waits for an execution. */
export const pauseOf = (executionId: string): string => `${Execution.Pause.child}/${executionId}`

/** The execution of such a pause. */
export const idOf = (pause: string): string => pause.slice(Execution.Pause.child.length + 1)

/** The name of the step that is stored before the execution. */
export const begunOf = (pause: string): string => `${pause}/begun`

/** The name of the step that is stored after the execution, if the body does not wait for it there. */
export const startedOf = (pause: string): string => `${pause}/started`

/** The name of the step that is the end of the execution. */
export const endedOf = (pause: string): string => `${pause}/1`

/** The name of a step of an execution that another one waits for, which did not start it. */
export const awaitedBy = (executionId: string): string => `awaited/${executionId}`

/** The executions that may wait for one: the one that has started it, and others. */
export const waiters = (
  { steps }: Pick<Store.Store, "steps">,
  { executionId, isAwaited, parent }: Execution.Execution
) =>
  Effect.map(isAwaited ? steps(executionId) : Effect.succeed([]), (all) => {
    const others = all.flatMap(({ name }) => /^awaited\/([0-9a-f]{32})$/.exec(name)?.[1] ?? [])
    return parent === undefined ? others : [parent, ...others]
  })

/** The steps of an execution that a body has begun. The id distinguishes them from activities of users. */
const pattern = new RegExp(`^(${Execution.Pause.child}/[0-9a-f]{32})/(begun|1)$`)

/** The first round of a write. Its step is stored with its attempt. A name may have lines. */
const writePattern = new RegExp(`^${Body.beginOf("(.+)", 0)}/1$`, "s")

/** Takes over what earlier runs of a body have begun, executions and writes: a later one may not come to them again. */
export const note = (results: ReadonlyMap<string, string>, sideEffects: Body.SideEffects) =>
  Effect.gen(function* () {
    for (const name of results.keys()) {
      const [, write] = writePattern.exec(name) ?? []
      const [, pause, what] = pattern.exec(name) ?? []
      if (write !== undefined) sideEffects.open.add(write)
      if (pause !== undefined && what === "begun") sideEffects.open.add(pause)
    }
    for (const [name, exit] of results) {
      const [, pause, what] = pattern.exec(name) ?? []
      if (pause === undefined || what === "begun") continue
      Body.end(sideEffects, pause, yield* Effect.orDie(Effect.flatten(codec.fromJson(exit))))
    }
  })

/** The pauses of executions that a body has begun, and whose end it has not read. */
export const open = ({ open }: Body.SideEffects, results: ReadonlyMap<string, string>) =>
  [...open].filter((pause) => results.has(begunOf(pause)) && !results.has(endedOf(pause)))
