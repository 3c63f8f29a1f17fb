/** The executions that a body has started and awaits. The end of each becomes a step of the body. */
import * as Effect from "effect/Effect"
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
const writePattern = new RegExp(`^${Body.begin("(.+)", 0)}/1$`, "s")

/** The name of the step that is the end of the execution. */
export const stepOf = (pause: string): string => `${pause}/1`

const pattern = new RegExp(`^(${Execution.Pause.child}/.*)/(?:(begun)|1)$`)

/** When the body may know the end of an execution, and whether it does. */
interface Turn {
  readonly begins: Effect.Latch
  readonly ends: Effect.Latch
}

/**
 * The executions that a run of a body awaits beside each other. It comes to know their ends in the order in which they were
 * stored, as every other run. Otherwise, one that has failed could interrupt another one, which is to be undone, before its
 * end is known.
 */
export interface Children {
  /** Those that an earlier run has begun, or this one begins, and has not looked at yet. */
  readonly begun: Set<string>
  /** Open while there are none of those. */
  readonly allLooked: Effect.Latch
  readonly turns: Map<string, Turn>
  /** Open when the body knows all ends so far. */
  last: Effect.Latch
}

export const make = (): Children => ({
  begun: new Set(),
  allLooked: Effect.unsafeMakeLatch(true),
  turns: new Map(),
  last: Effect.unsafeMakeLatch(true)
})

export const begin = ({ allLooked, begun }: Children, pause: string): void => {
  begun.add(pause)
  allLooked.unsafeClose()
}

export const looked = ({ allLooked, begun }: Children, pause: string): void => {
  begun.delete(pause)
  if (begun.size === 0) allLooked.unsafeOpen()
}

/** An execution has ended. */
export const end = (children: Children, pause: string): void => {
  const ends = Effect.unsafeMakeLatch()
  children.turns.set(pause, { begins: children.last, ends })
  children.last = ends
}

/** The body knows the end of an execution. */
export const known = ({ turns }: Children, pause: string): void => {
  turns.get(pause)?.ends.unsafeOpen()
}

/**
 * Waits until the body may know the end of an execution, or that it has none. Not for ever: the body does not come again to
 * the executions of a race that one of them has won.
 */
export const untilTurn = (children: Children, pause: string, wasStored: boolean) => {
  const { allLooked, begun, turns } = children
  const turn = () => turns.get(pause)?.begins ?? children.last
  return Effect.gen(function* () {
    if (!wasStored) yield* allLooked.await
    yield* turn().await
  }).pipe(
    Effect.timeoutTo({
      duration: "1 second",
      onSuccess: () => {},
      onTimeout: () => {
        begun.clear()
        allLooked.unsafeOpen()
        turn().unsafeOpen()
      }
    })
  )
}

/**
 * Takes over what earlier runs of a body have begun, executions and writes. Each is open until this run knows its end:
 * the run may end before it comes to it.
 */
export const note = (
  steps: ReadonlyArray<Store.Step>,
  children: Children,
  { open }: Body.SideEffects
): void => {
  for (const { name } of steps) {
    const [, write] = writePattern.exec(name) ?? []
    const [, pause, isBegun] = pattern.exec(name) ?? []
    if (write !== undefined) open.add(write)
    if (pause === undefined) continue
    if (isBegun === undefined) end(children, pause)
    else {
      begin(children, pause)
      open.add(pause)
    }
  }
}
