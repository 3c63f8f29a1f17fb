// The cost of minimal pending Effect fibers, and of creates without a response.
import { setTimeout as pause } from "node:timers/promises"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { heapBytes, startOf, until } from "./heap.js"
import type { Held } from "./Held.js"
import * as stub from "./stub.js"
import * as subject from "./subject.js"

const many = (count: number, effect: Effect.Effect<unknown>) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.forkDaemon(effect))

const bare = async (
  kind: "sleep" | "async",
  count: number,
  effect: Effect.Effect<unknown>
): Promise<Held> => {
  const hold = async (number: number): Promise<Held> => {
    const before = heapBytes()
    const started = startOf(number)
    const fibers = await Effect.runPromise(many(number, effect))
    const start = started()
    // Each fiber starts to wait in its own turn of the event loop.
    await pause(100)
    const bytesEach = (heapBytes() - before) / number
    await Effect.runPromise(Fiber.interruptAll(fibers))
    return { kind, count: number, bytesEach, ...start }
  }
  await hold(1000)
  return hold(count)
}

export const sleep = (count: number): Promise<Held> => bare("sleep", count, Effect.sleep("1 hour"))

export const async = (count: number): Promise<Held> =>
  bare(
    "async",
    count,
    Effect.async<void>(() => {})
  )

/** The cost that each additional create in flight adds. */
const creates = async (
  kind: "create" | "plainCreate",
  client: (reply: stub.Reply) => HttpClient.HttpClient,
  count: number
): Promise<Held> => {
  let answering = true
  let unanswered = 0
  const runtime = ManagedRuntime.make(
    subject.layer(client, () => {
      if (answering) return subject.created
      unanswered++
      return undefined
    })
  )
  const begin = (creates: number) =>
    runtime.runPromise(
      Effect.forEach(Array.from({ length: creates }), () =>
        Effect.forkDaemon(Effect.exit(Effect.suspend(() => subject.create)))
      )
    )
  for (let round = 0; round < 5; round++) {
    const fibers = await begin(count)
    await Effect.runPromise(Fiber.awaitAll(fibers))
  }
  answering = false
  await begin(1)
  await until(() => unanswered === 1)
  const before = heapBytes()
  const started = startOf(count - 1)
  await begin(count - 1)
  await until(() => unanswered === count)
  const start = started()
  const bytesEach = (heapBytes() - before) / (count - 1)
  // The process exit ends the creates. An interruption would log each key.
  return { kind, count, bytesEach, ...start }
}

export const create = (count: number): Promise<Held> => creates("create", stub.lean, count)

export const plainCreate = (count: number): Promise<Held> =>
  creates("plainCreate", stub.plain, count)
