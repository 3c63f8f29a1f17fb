/**
 * Who goes on next: every fiber that can is as likely as any other, and each may be made to give way
 * at any step.
 */
import type * as Scheduler from "effect/Scheduler"
import type { Chance } from "./Chance.js"

export interface Schedule extends Scheduler.Scheduler {
  /** Runs whatever can run, in an order of chance, until nothing can; `false` if that never comes. */
  readonly drain: () => boolean
}

/** More than any run needs at one moment. */
const maxTasks = 50_000

export const make = (chance: Chance): Schedule => {
  const tasks: Array<Scheduler.Task> = []
  const longest = chance.pick([40, 250, 2500])
  // Drawn in advance: a number for every step would cost more than the step.
  const stretch = () => chance.between(1, longest)
  let left = stretch()
  return {
    shouldYield: () => {
      if (--left > 0) return false
      left = stretch()
      // To give way to nobody changes nothing, and takes two dozen steps.
      return tasks.length === 0 ? false : 0
    },
    scheduleTask: (task) => {
      tasks.push(task)
    },
    drain: () => {
      for (let left = maxTasks; tasks.length > 0; left--) {
        if (left === 0) return false
        const [task] = tasks.splice(chance.between(0, tasks.length - 1), 1)
        task?.()
      }
      return true
    }
  }
}
