/**
 * Who goes on next: every fiber that can is as likely as any other, and each may be made to give way
 * at any step.
 */
import type * as Scheduler from "effect/Scheduler"
import type { Chance } from "./Chance.js"

export interface Schedule extends Scheduler.Scheduler {
  /** Runs whatever can run, in an order of chance, until nothing can. */
  readonly drain: () => void
  readonly idle: () => boolean
}

export const make = (chance: Chance): Schedule => {
  const tasks: Array<Scheduler.Task> = []
  return {
    shouldYield: (fiber) =>
      fiber.currentOpCount > 2048 || (fiber.currentOpCount > 20 && chance.often(0.01)) ? 0 : false,
    scheduleTask: (task) => {
      tasks.push(task)
    },
    drain: () => {
      while (tasks.length > 0) {
        const [task] = tasks.splice(chance.between(0, tasks.length - 1), 1)
        task?.()
      }
    },
    idle: () => tasks.length === 0
  }
}
