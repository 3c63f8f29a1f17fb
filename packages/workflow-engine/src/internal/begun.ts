/** The executions that a body has begun. Each has steps of the body, by which later runs know of it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Body from "../Body.js"
import { exitCodec } from "../Encoding.js"
import * as Execution from "../Execution.js"
import * as Names from "../Names.js"
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

/** It has the end that another execution has stored, which hides nothing of it. */
export const options = { maxBytes: Infinity }

/** The end of an execution, if it has ended. */
export const endOf = ({ end, exit = "", outcome, resource }: Execution.Execution) =>
  end && { hasFailed: end.state !== "Succeeded", exit, outcome, resource }

/** The name of the pause in which a body waits for an execution. */
export const pauseOf = (id: string): string => Names.make("child", { id })

/** The executions that may wait for one: the one that has started it, and others. */
export const waiters = (
  { steps }: Pick<Store.Store, "steps">,
  { executionId, isAwaited, parent }: Execution.Execution
) =>
  Effect.map(isAwaited ? steps(executionId) : Effect.succeed([]), (all) => {
    const others = all.flatMap(({ name }) => {
      const { id, kind } = Names.parseStep(name) ?? {}
      return kind === "awaited" && id !== undefined ? [id] : []
    })
    return parent === undefined ? others : [parent, ...others]
  })

/**
 * Takes over the executions and writes that earlier runs of a body have begun: this run may end before it reaches them.
 */
export const note = (results: ReadonlyMap<string, string>, sideEffects: Body.SideEffects) =>
  Effect.gen(function* () {
    const ended: Array<readonly [pause: string, exit: string]> = []
    for (const [name, exit] of results) {
      const { id = "", kind, of = "", round } = Names.parseStep(name) ?? {}
      if (kind === "begin" && round === 0) sideEffects.open.add(of)
      if (kind === "begun") sideEffects.open.add(pauseOf(id))
      if (kind === "ended") ended.push([pauseOf(id), exit])
    }
    for (const [pause, exit] of ended) {
      Body.end(sideEffects, pause, yield* Effect.orDie(Effect.flatten(codec.fromJson(exit))))
    }
  })

/** The executions that a body has begun, and whose end it has not read. */
export const open = ({ open }: Body.SideEffects, results: ReadonlyMap<string, string>) =>
  [...open].flatMap((pause) => {
    const { id, kind } = Names.parsePause(pause) ?? {}
    if (kind !== "child" || id === undefined) return []
    const isOpen =
      results.has(Names.make("begun", { id })) && !results.has(Names.make("ended", { id }))
    return isOpen ? [id] : []
  })
