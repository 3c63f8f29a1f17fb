/**
 * A scheduler that picks the next fiber at random, and makes fibers yield at random steps.
 */
import type * as Scheduler from "effect/Scheduler"
import type { Chance } from "./Chance.js"

export interface Schedule extends Scheduler.Scheduler {
  /** Runs tasks in random order until none is left; `false` if there are more than `maxTasks`. */
  readonly drain: () => boolean
}

/** More than any run needs at one instant. */
const maxTasks = 50_000

export const make = (chance: Chance): Schedule => {
  const tasks: Array<Scheduler.Task> = []
  const longest = chance.pick([40, 250, 2500])
  // One draw for many steps: a draw at every step would cost more than the step.
  const stretch = () => chance.between(1, longest)
  let left = stretch()
  return {
    shouldYield: () => {
      if (--left > 0) return false
      left = stretch()
      // A yield with no other task changes nothing and costs two dozen steps.
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
