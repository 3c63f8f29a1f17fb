// Measures one kind of pending effect, and sends the result.
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { answers, nextKey, payment, uuid } from "./messages.js"
import * as stub from "./stub.js"
import type { Held, Kind } from "./waits.js"

const [kind, countText] = process.argv.slice(2)
const count = Number(countText)

/** Makes an effect with payments a number of times, each in a fiber. */
const many = <R>(number: number, one: (index: number) => Effect.Effect<unknown, unknown, R>) =>
  Effect.forEach(
    Array.from({ length: number }, (_, index) => index),
    (index) => Effect.forkDaemon(one(index))
  )

const paymentsOver = (reply: stub.Reply) =>
  ManagedRuntime.make(Layer.provide(Payments.layer, stub.gateway(reply)))

/** The heap and the CPU time that a number of starts take. */
const costOf = async (number: number, starts: () => Promise<unknown>) => {
  const before = stub.heapBytes()
  const started = process.cpuUsage()
  await starts()
  const { system, user } = process.cpuUsage(started)
  return {
    bytesEach: (stub.heapBytes() - before) / number,
    startMicros: (user + system) / number
  }
}

const creates = async (): Promise<Held> => {
  let answering = true
  let unanswered = 0
  const runtime = paymentsOver(() => {
    if (answering) return { status: 201, body: answers.create }
    unanswered++
    return undefined
  })
  const create = Effect.flatMap(Payments.Payments, (payments) =>
    payments.create(payment, { key: IdempotencyKey.make(nextKey()) })
  )
  const begin = (number: number) => runtime.runPromise(many(number, () => Effect.exit(create)))
  for (let round = 0; round < 5; round++)
    await Effect.runPromise(Fiber.awaitAll(await begin(count)))
  answering = false
  const starts = async (number: number) => {
    const wanted = unanswered + number
    await begin(number)
    await stub.until(() => unanswered === wanted)
  }
  await starts(1)
  // The process exit ends the creates. An interruption would log each key.
  return { kind: "create", count, ...(await costOf(count, () => starts(count))) }
}

const [beforeId = "", afterId = ""] = answers.get.split(uuid(1))

const waits = async (): Promise<Held> => {
  const seen = new Set<string>()
  let isSettled = false
  const runtime = paymentsOver((path) => {
    const id = path.slice(-36)
    seen.add(id)
    const body = beforeId + id + afterId
    return { status: 200, body: isSettled ? body.replace("PENDING", "COMPLETED") : body }
  })
  const begin = async (number: number, initial: number) => {
    seen.clear()
    isSettled = false
    const fibers = await runtime.runPromise(
      many(number, (index) =>
        Effect.flatMap(Payments.Payments, (payments) =>
          payments.awaitFinal(PaymentIntent.makeId(uuid(index)), {
            initial,
            cap: initial,
            deadline: "1 hour"
          })
        )
      )
    )
    await stub.until(() => seen.size === number)
    return async () => {
      isSettled = true
      await Effect.runPromise(Fiber.awaitAll(fibers))
    }
  }
  for (let round = 0; round < 3; round++) await (await begin(2000, 500))()

  // No wait reads again before the heap is measured.
  const cost = await costOf(count, () => begin(count, 50 * 60_000))
  const end = await begin(count, 15_000)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await end()
  return { kind: "wait", count, ...cost, delayMillis: delay.percentile(99) / 1e6 }
}

const measures: Readonly<Record<Kind, () => Promise<Held>>> = {
  wait: waits,
  create: creates
}

const measure = Object.entries(measures).find(([name]) => name === kind)?.[1]
if (measure === undefined) throw new Error(`Unknown kind: ${kind}`)
process.on("disconnect", () => process.exit(0))
const held = await measure()
process.send?.(held)
