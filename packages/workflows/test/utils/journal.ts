/** An engine beneath `Steps` in memory. It stores steps by name, and dies where a test asks for it. */
import type * as Steps from "@manilla/workflows/Steps"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"

/** The stored parts of one execution. */
export interface Journal {
  readonly stored: Map<string, string>
  /** The name of each step, in the order of their storage. */
  readonly names: () => ReadonlyArray<string>
}

export const make = (): Journal => {
  const stored = new Map<string, string>()
  return { stored, names: () => [...stored.keys()] }
}

export interface Options {
  /** At which of its boundaries this life dies, from 1. A step has three: before it runs, before it is stored, and after. */
  readonly dieAt?: number | undefined
  /** Whether the engine runs each step twice, as after a timeout of its own. */
  readonly isRepeating?: boolean | undefined
  readonly maxBytes?: number | undefined
}

/** Runs one life. Returns `died` if it died, after which nothing of it goes on. */
export const live = <A, E, R>(
  { stored }: Journal,
  id: string,
  { dieAt = Infinity, isRepeating = false, maxBytes }: Options,
  execute: (steps: Steps.Steps) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime()
    const died = yield* Deferred.make<"died">()
    let boundaries = 0
    const boundary = async () => {
      if (++boundaries < dieAt) return
      Deferred.unsafeDone(died, Effect.succeed("died"))
      await new Promise<never>(() => {})
    }
    const run = async (name: string, step: () => Promise<string>) => {
      const known = stored.get(name)
      if (known !== undefined) return known
      await boundary()
      if (isRepeating) await step()
      const text = await step()
      await boundary()
      stored.set(name, text)
      await boundary()
      return text
    }
    const sleep = async (name: string, millis: number) => {
      await run(`sleep ${name}`, () =>
        Runtime.runPromise(runtime)(Effect.as(Effect.sleep(millis), ""))
      )
    }
    // A compensation cannot be interrupted, and dies all the same.
    const life = Effect.disconnect(execute({ id, run, sleep, maxBytes }))
    return yield* Effect.raceFirst(life, Deferred.await(died))
  })
