// A process with many waits for a payment that stays pending.
import * as Payments from "@manilla/payments/Payments"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { gateway } from "./clients/gateway.js"
import { uuid } from "./messages.js"
import type { Ask } from "./waits.js"
import { answer, heapBytes } from "./worker.js"

const port = Number(process.argv[2])
const runtime = ManagedRuntime.make(Layer.provide(Payments.layer, gateway(port)))

/** It reads once, and does not read again while the heap is measured. */
const wait = Effect.flatMap(Payments.Payments, (payments) =>
  payments.awaitFinal(PaymentIntent.makeId(uuid(1)), {
    initial: "50 minutes",
    cap: "50 minutes",
    deadline: "1 hour"
  })
)

answer(async ({ count }: Ask) => {
  await runtime.runPromise(
    Effect.replicateEffect(Effect.forkDaemon(wait), count, { discard: true })
  )
  return heapBytes()
})
