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
  cause: undefined,
  wakes: 0,
  isAwaited: false,
  step: undefined,
  deaths: 0,
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

/** From this number of deaths on, an execution is a suspect, and only deaths in its turn count. */
export const suspectDeaths = 3
/** Restarts and deployments also end processes during a turn. Ten deaths in its turns park an execution. */
const mostDeaths = suspectDeaths + 10

/** The process of its runner has died. Another one goes on at once. */
export const died = (execution: Stored): Stored => ({
  ...freed(execution),
  deaths: Math.max(execution.deaths, Math.min(execution.deaths + 1, suspectDeaths))
})

export const isSuspect = ({ deaths }: Stored): boolean => deaths >= suspectDeaths

/** Whether it is to be parked. */
export const isPoison = ({ deaths }: Stored): boolean => deaths >= mostDeaths

/** A suspect tries a step, and no other suspect does: a death counts, unless a result or a pause follows. */
export const trying =
  (step: string, deaths: number) =>
  (execution: Stored): Stored => ({
    ...execution,
    step,
    // At most one more than at the start of the run. A resume has set the count to 0.
    deaths: Math.min(execution.deaths, deaths) + 1
  })

/** It has stored a step, or its run has ended in order, or it is to be tried again. */
export const progressed = (execution: Stored): Stored => ({
  ...execution,
  step: undefined,
  deaths: 0
})

/** Stops to try an execution, unless it was resumed or interrupted meanwhile. */
export const parked = (execution: Stored): Stored =>
  isPoison(execution)
    ? {
        ...execution,
        runner: undefined,
        pause: Execution.Pause.parked,
        dueMillis: Execution.never
      }
    : freed(execution)

/** Another execution waits for it, which did not start it. */
export const awaited = (execution: Stored): Stored => ({ ...execution, isAwaited: true })

/**
 * Ends its pauses, and tries it again if its process has died. One that a process could not read is tried again, and sleeps
 * on after that. If it runs, it looks again when it is about to wait.
 */
export const resumed = (execution: Stored): Stored => {
  const { clocks, pause } = execution
  const isWaiting = pause !== undefined && pause !== Execution.Pause.unreadable
  return woken({
    ...progressed(execution),
    clocks: isWaiting ? Record.map(clocks, () => 0) : clocks
  })
}

/** A block or an activity notices it. If it is parked, it is tried again for that. */
export const interrupted = (execution: Stored): Stored =>
  execution.end !== undefined
    ? execution
    : woken({ ...progressed(execution), isCancelRequested: true })

/** The wait of a body. */
export interface Wait {
  /** The pause that has not ended. */
  readonly pause: string
  readonly dueMillis: number
  /** The failure after which the body waits, as JSON. */
  readonly cause?: string | undefined
}

/** `wakes` are those that the run has seen. */
export const suspended =
  ({ cause, dueMillis, pause }: Wait, clocks: Stored["clocks"], wakes: number) =>
  (execution: Stored): Stored => ({
    ...progressed(execution),
    runner: undefined,
    clocks,
    pause,
    cause,
    // Something has happened since the run began: it looks again.
    dueMillis: execution.wakes !== wakes ? 0 : dueMillis
  })

export const ended =
  (end: NonNullable<Stored["end"]>, exit: string, outcome: Stored["outcome"]) =>
  (execution: Stored): Stored => ({
    ...execution,
    // It stays with its runner until that has woken those who wait.
    runner: execution.parent === undefined && !execution.isAwaited ? undefined : execution.runner,
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
