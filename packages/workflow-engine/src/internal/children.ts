/** The executions that a body has started and awaits. The end of each becomes a step of the body. */
import * as Effect from "effect/Effect"
import * as Iterable from "effect/Iterable"
import * as Schema from "effect/Schema"
import * as Body from "../Body.js"
import { exitCodec } from "../Encoding.js"
import * as Execution from "../Execution.js"
import type * as Store from "../Store.js"

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

/** The first round of a write. Its step is stored with its attempt. A name may have lines. */
const writePattern = new RegExp(`^${Body.beginOf("(.+)", 0)}/1$`, "s")

/** The name of the step that is the end of the execution. */
export const stepOf = (pause: string): string => `${pause}/1`

/** The id tells them from an activity of a user. */
const pattern = new RegExp(`^(${Execution.Pause.child}/[0-9a-f]{32})/(?:(begun)|1)$`)

/**
 * The executions that a run of a body awaits beside each other, by their pauses. It comes to know their ends in the order in
 * which they are stored, as every other run. Otherwise, one that has failed could interrupt another one, which is to be
 * undone, before its end is known.
 */
export interface Children {
  /** Those that this run has come to. */
  readonly arrived: Set<string>
  /** Those that this run, or an earlier one, has begun, and this one has not looked at. */
  readonly begun: Set<string>
  /** Open while there are none of those. */
  readonly allLooked: Effect.Latch
  /** The stored ends, in their order. Each is open once the body knows the end, or does not wait for it any more. */
  readonly ends: Map<string, Effect.Latch>
}

export const make = (): Children => ({
  arrived: new Set(),
  begun: new Set(),
  allLooked: Effect.unsafeMakeLatch(true),
  ends: new Map()
})

const begin = ({ allLooked, begun }: Children, pause: string): void => {
  begun.add(pause)
  allLooked.unsafeClose()
}

/** The body has come to an execution. */
export const arrive = (children: Children, pause: string): void => {
  children.arrived.add(pause)
  begin(children, pause)
}

/** The run knows whether an execution has ended. */
export const looked = ({ allLooked, begun }: Children, pause: string): void => {
  begun.delete(pause)
  if (begun.size === 0) allLooked.unsafeOpen()
}

/** The end of an execution is stored now, if this is its step. Returns whether it is. */
export const noteEnd = ({ ends }: Children, step: string): boolean => {
  const [, pause, isBegun] = pattern.exec(step) ?? []
  if (pause === undefined || isBegun !== undefined || ends.has(pause)) return false
  ends.set(pause, Effect.unsafeMakeLatch())
  return true
}

/** The body knows the end of an execution, or does not wait for it any more. */
export const leave = (children: Children, pause: string): void => {
  looked(children, pause)
  children.ends.get(pause)?.unsafeOpen()
}

/**
 * The time in which a run comes to the executions beside one: in parts, so that a process that was stopped goes on before it
 * is over. A run does not come again to those of a race that has ended.
 */
const arrivals = Effect.repeatN(Effect.sleep("30 millis"), 9)

/** Waits until the body may know the end of an execution, or that it has not ended. */
export const untilTurn = (children: Children, pause: string, wasStored: boolean) => {
  const { allLooked, arrived, begun, ends } = children
  const earlier = () => Array.from(Iterable.takeWhile(ends, ([other]) => other !== pause))
  const turn = Effect.gen(function* () {
    if (!wasStored) yield* allLooked.await
    // The last of them has waited for those before it.
    yield* earlier().at(-1)?.[1].await ?? Effect.void
  })
  const skip = Effect.sync(() => {
    for (const other of begun) if (!arrived.has(other)) looked(children, other)
    for (const [other, end] of earlier()) if (!arrived.has(other)) end.unsafeOpen()
  })
  return Effect.raceFirst(turn, Effect.zipRight(Effect.zipRight(arrivals, skip), turn))
}

/** Waits until the body begins no other execution for 10 ms: otherwise, one would end the run before those beside it begin. */
export const settled = (children: Children): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { allLooked, arrived } = children
    const before = arrived.size
    const next = Effect.suspend(() => (arrived.size > before ? settled(children) : Effect.void))
    return Effect.zipRight(Effect.delay(allLooked.await, "10 millis"), next)
  })

/**
 * Takes over what earlier runs of a body have begun, executions and writes: a later one may end before it comes to
 * them.
 */
export const note = (
  steps: ReadonlyArray<Store.Step>,
  children: Children,
  sideEffects: Body.SideEffects
) =>
  Effect.gen(function* () {
    for (const { exit, name } of steps) {
      const [, write] = writePattern.exec(name) ?? []
      if (write !== undefined) sideEffects.open.add(write)
      const [, pause] = pattern.exec(name) ?? []
      if (pause === undefined) continue
      if (noteEnd(children, name)) {
        looked(children, pause)
        Body.end(sideEffects, pause, yield* Effect.orDie(Effect.flatten(codec.fromJson(exit))))
      } else if (!children.ends.has(pause)) {
        begin(children, pause)
        sideEffects.open.add(pause)
      }
    }
  })
