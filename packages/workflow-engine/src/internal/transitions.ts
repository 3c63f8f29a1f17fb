/** The changes of a stored execution. */
import * as Record from "effect/Record"
import * as Execution from "../Execution.js"

type Stored = Execution.Execution

/** A new execution, which is due at once. */
export const started = (
  start: Pick<
    Stored,
    "workflow" | "businessKey" | "executionId" | "payload" | "parent" | "startedMillis"
  >
): Stored => ({
  ...start,
  runner: undefined,
  dueMillis: start.startedMillis,
  pause: undefined,
  clocks: {},
  wakes: 0,
  resource: undefined,
  outcome: undefined,
  isCancelRequested: false,
  end: undefined,
  exit: undefined,
  isPurged: false
})

/** Whether a runner may take it. */
export const isFree = ({ dueMillis, end, runner }: Stored, nowMillis: number): boolean =>
  end === undefined && runner === undefined && dueMillis <= nowMillis

export const taken = (execution: Stored, runner: number): Stored => ({
  ...execution,
  runner,
  pause: undefined
})

/** Its runner has ended: another one goes on at once. */
export const freed = (execution: Stored): Stored => ({
  ...execution,
  runner: undefined,
  dueMillis: 0
})

/** It looks again at once. If it runs, it does so when it is about to wait. */
export const woken = (execution: Stored): Stored =>
  execution.end !== undefined
    ? execution
    : { ...execution, dueMillis: 0, wakes: execution.wakes + 1 }

/** Ends its pauses. One that a process could not read is tried again, and sleeps on after that. */
export const resumed = (execution: Stored): Stored => {
  const { clocks, pause } = execution
  if (pause === undefined) return execution
  const isReadable = pause !== Execution.Pause.unreadable
  return woken({ ...execution, clocks: isReadable ? Record.map(clocks, () => 0) : clocks })
}

/** A block notices it, or the engine ends a body that uses none. */
export const interrupted = (execution: Stored): Stored =>
  execution.end !== undefined ? execution : woken({ ...execution, isCancelRequested: true })

/** The wait of a body. */
export interface Wait {
  readonly clocks: Stored["clocks"]
  /** The names of the pauses that have not ended. */
  readonly pauses: ReadonlyArray<string>
  /** The wakes that the run has seen. */
  readonly wakes: number
}

export const suspended =
  ({ clocks, pauses, wakes }: Wait) =>
  (execution: Stored): Stored => {
    const dueMillis = Math.min(
      Execution.never,
      ...pauses.map((name) => clocks[name] ?? Execution.never)
    )
    const pause =
      pauses.find((name) => dueMillis < Execution.never && clocks[name] === dueMillis) ??
      Execution.Pause.signal
    // Something has happened since the run began: it looks again.
    const isWoken = execution.wakes !== wakes
    return { ...execution, runner: undefined, clocks, pause, dueMillis: isWoken ? 0 : dueMillis }
  }

export const postponed =
  (dueMillis: number) =>
  (execution: Stored): Stored => ({
    ...execution,
    runner: undefined,
    pause: Execution.Pause.unreadable,
    dueMillis
  })

export const ended =
  (end: NonNullable<Stored["end"]>, exit: string, outcome: Stored["outcome"]) =>
  (execution: Stored): Stored => ({
    ...execution,
    runner: undefined,
    end,
    exit,
    outcome
  })

export const purged = (execution: Stored): Stored => ({
  ...execution,
  payload: "",
  clocks: {},
  exit: undefined,
  isPurged: true
})
