/**
 * The worker: sends what is stored, and reads what is pending, until each attempt is paid, unpaid or for a
 * person. After a crash it continues with what the store says, at the latest when the lease of the dead process
 * ends.
 */
import { IdempotencyKey, PaymentIntent, type Promises } from "@manilla/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { afterError, afterRead, isTooOld, pauseOf, type Attempt, type Change } from "./attempts.js"
import type { Orders } from "./orders.js"

/** How many attempts are worked on at the same time. */
const most = 64

/** How long a call to the service takes at most, with its retries, in milliseconds. */
const timeout = 20_000

/** For how long an attempt is taken: longer than a call. If this process dies, it waits for the rest of it. */
const lease = 30_000

/** The statuses in a list such as `FAILED, EXPIRED`. An empty list has none, not an empty one. */
export const statusesOf = (list: string) =>
  new Set(list.split(",").flatMap((status) => status.trim() || []))

/** Works until the signal is aborted. */
export const work = async (
  orders: Orders,
  { payments }: Pick<Promises.Promises, "payments">,
  unpaidStatuses: ReadonlySet<string>,
  signal: AbortSignal
) => {
  const send = async (attempt: Attempt): Promise<Change> => {
    const options = { key: IdempotencyKey.make(attempt.key), timeout }
    const created = await payments.create(attempt.request, options)
    if (created.ok) return { state: "Pending", payment_id: created.value.id, reason: null }
    console.warn(created.error.message)
    return afterError(attempt, created.error)
  }

  const read = async (attempt: Attempt, id: string): Promise<Change> => {
    const once = { timeout, retry: { attempts: 1 } }
    const payment = await payments.get(PaymentIntent.makeId(id), once)
    if (payment.ok) return afterRead(attempt, payment.value, unpaidStatuses)
    // A read changes nothing. A failed one says nothing about the payment.
    console.warn(payment.error.message)
    return attempt
  }

  /** One request to the service, and its meaning. */
  const step = async (attempt: Attempt) => {
    const { payment_id: id } = attempt
    // Another process may take the attempt when its lease ends. So a call that could last longer does not start.
    if (Date.now() + timeout > attempt.due_at) return
    const isOld = isTooOld(attempt, Date.now())
    // A late request could pay again, but a read changes nothing.
    const result = id !== null ? await read(attempt, id) : isOld ? attempt : await send(attempt)
    const isOpen = result.state === "Starting" || result.state === "Pending"
    const change: Change = isOld && isOpen ? { ...result, state: "Review" } : result
    if (change.state === "Review") console.error(`A person decides ${attempt.key}`)
    // A new payment is read at once.
    const pause = change.payment_id === id ? pauseOf(attempt, Date.now()) : 0
    await orders.settle(attempt, change, Date.now() + pause)
  }

  const failed = (error: unknown) => console.error("The store failed", error)
  const running = new Set<Promise<void>>()
  while (!signal.aborted) {
    for (const attempt of (await orders.claim(most - running.size, lease).catch(failed)) ?? []) {
      const stepping = step(attempt)
        .catch(failed)
        .finally(() => running.delete(stepping))
      running.add(stepping)
    }
    await sleep(250)
  }
  await Promise.all(running)
}
