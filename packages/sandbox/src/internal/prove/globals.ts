/**
 * The timers and the date of JavaScript in virtual time, for programs without Effect.
 */
import type { Time } from "./time.js"

type Timer = Parameters<typeof clearTimeout>[0]

/** Replaces them until `restore` is called. They use the time of the current run. */
export const install = () => {
  const { AbortSignal, Date: RealDate } = globalThis
  const real = {
    Date: RealDate,
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval
  }
  const realSignal = AbortSignal.timeout
  let time: Time | undefined
  let isAlive = () => true
  const cancels = new Map<unknown, () => void>()

  const start = (wake: () => void, delayMillis: number, isRepeated: boolean) => {
    const lives = isAlive
    const timer = {
      ref: () => timer,
      unref: () => timer,
      hasRef: () => true,
      refresh: () => timer,
      [Symbol.toPrimitive]: () => 0
    }
    const plan = (): void => {
      const cancel = time?.at(Math.max(delayMillis, isRepeated ? 1 : 0) || 0, () => {
        cancels.delete(timer)
        if (!lives()) return
        if (isRepeated) plan()
        wake()
      })
      if (cancel !== undefined) cancels.set(timer, cancel)
    }
    plan()
    return timer
  }
  const stop = (timer: Timer) => {
    cancels.get(timer)?.()
    cancels.delete(timer)
  }
  const timer =
    (isRepeated: boolean) =>
    (
      call: (...args: ReadonlyArray<unknown>) => void,
      delayMillis = 0,
      ...args: ReadonlyArray<unknown>
    ) =>
      start(() => call(...args), delayMillis, isRepeated)

  class VirtualDate extends RealDate {
    constructor(...args: ReadonlyArray<unknown>) {
      super(...((args.length === 0 ? [VirtualDate.now()] : args) as [number]))
    }
    static override now() {
      return time?.nowMillis() ?? RealDate.now()
    }
  }
  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout: timer(false),
    clearTimeout: stop,
    setInterval: timer(true),
    clearInterval: stop
  })
  // Absent in browsers, and in the first versions of Node 20.
  const promises = globalThis.process?.getBuiltinModule?.("node:timers/promises")
  const realSleep = promises?.setTimeout
  const useSleep = (sleep: typeof realSleep) => {
    if (promises === undefined || sleep === undefined) return
    promises.setTimeout = sleep
    process.getBuiltinModule("node:module").syncBuiltinESMExports()
  }
  useSleep(
    (delayMillis = 0, value) =>
      new Promise<never>((resolve) => start(() => resolve(value as never), delayMillis, false))
  )
  AbortSignal.timeout = (delayMillis) => {
    const controller = new AbortController()
    const abort = () =>
      controller.abort(new DOMException("The operation timed out", "TimeoutError"))
    start(abort, delayMillis, false)
    return controller.signal
  }
  return {
    /** Timers that start from now on belong to this run, and to a process while it lives. */
    use: (next: Time, lives: () => boolean) => {
      time = next
      isAlive = lives
    },
    restore: () => {
      Object.assign(globalThis, real)
      AbortSignal.timeout = realSignal
      useSleep(realSleep)
    }
  }
}
