import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import type * as Batches from "@manilla/workflow-engine/Batches"
import { persistently } from "@manilla/workflow-engine/Store"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { BatchEngine } from "../../BatchEngine.js"
import * as Policy from "../../Policy.js"
import { follow } from "./follow.js"
import { afterDefects } from "./owner.js"
import type { Owner } from "./owner.js"
import * as pace from "./pace.js"
import * as rules from "./rules.js"

const itemsPerPage = 1_000
/** Results that arrive within this time are stored together. */
const gatherMillis = 10
/** How often an owner with nothing else to do looks whether its batch was paused, resumed or interrupted. */
const idle = "1 second"
/** The most payouts that are read at once. Others are handed over. */
const mostLooks = 5_000

/** The most items in doubt, as a multiple of the concurrency: an outage puts no further ones in doubt. */
const mostInDoubt = 5

/** Another owner has begun: this one changes nothing more and sends nothing more. */
export class Overtaken extends Data.TaggedError("Overtaken") {}

/** The first request of an item. */
const send = (payouts: Payouts.Service, batchKey: string, { key, request }: Batches.Item) =>
  Effect.gen(function* () {
    const serviceKey = yield* rules.businessKey(batchKey, key)
    // `create` checks the request.
    const created = yield* Effect.exit(payouts.create(JSON.parse(request), { key: serviceKey }))
    return rules.afterRequest(created)
  })

/** Reads a payout until its status is final, for the time of the policy's `look`. */
const lookAt = (payouts: Payouts.Service, look: Policy.Policy["look"], reference: string) =>
  Effect.suspend(() => payouts.awaitFinal(Payout.makeReference(reference), look)).pipe(
    Effect.exit,
    Effect.map(rules.afterLook)
  )

/** Each run reads the next items in these states, in the order of their numbers; none at the end. */
const makePages = ({ batchKey }: Owner, states: ReadonlyArray<Batches.State>) => {
  let after: number | undefined
  return Effect.gen(function* () {
    const { batches: table } = yield* BatchEngine
    const page = yield* persistently(table.read(batchKey, { states, after }, itemsPerPage))
    after = page.at(-1)?.number ?? after
    return page
  })
}

/**
 * Sends the first request of each waiting item, and hands over each that is unknown, or not final after one look, until the
 * batch has ended.
 */
export const drive = (
  owner: Owner
): Effect.Effect<void, Overtaken, BatchEngine | Payouts.Payouts> =>
  Effect.gen(function* () {
    const { batchKey, concurrency, epoch } = owner
    const { batches: table } = yield* BatchEngine
    const payouts = yield* Payouts.Payouts
    const { look } = yield* Policy.Current
    const next = pace.make(owner)
    const waiting: Array<Batches.Item> = []
    const open = {
      sending: new Map<number, Batches.Item>(),
      created: new Set<number>(),
      unknown: new Set<number>(),
      pending: new Set<number>()
    }

    /** Changes that are not stored yet, one for each item. */
    let arrived = new Map<number, Batches.Change>()
    const woken = yield* Effect.makeLatch()
    const arrive = (change: Batches.Change) => {
      arrived.set(change.number, change)
      woken.unsafeOpen()
    }
    /** Runs a request. A defect says nothing about its outcome: the item is handed over. */
    const fork = (number: number, request: Effect.Effect<rules.Result>) =>
      request.pipe(
        Effect.catchAllDefect((defect) =>
          Effect.as(Effect.logError(`A defect in an item of the batch ${batchKey}`, defect), {
            state: "unknown"
          } as const)
        ),
        Effect.map((result) => arrive({ number, ...result })),
        Effect.forkScoped
      )

    const write = (changes: ReadonlyArray<Batches.Change>) =>
      Effect.gen(function* () {
        if (changes.length === 0) return
        const isOwner = yield* persistently(table.write(batchKey, epoch, changes))
        if (!isOwner) return yield* new Overtaken()
      })

    /** After a change is stored: notes where the item is, and begins the look at a new payout. */
    const onStored = ({ number, reference, state }: Batches.Change) =>
      Effect.gen(function* () {
        const item = open.sending.get(number)
        for (const items of Object.values(open)) items.delete(number)
        if (state === "unknown" || state === "pending") open[state].add(number)
        if (state === "waiting" && item !== undefined) waiting.push(item)
        if (state !== "created") return
        open.created.add(number)
        if (open.created.size > mostLooks) return arrive({ number, state: "pending" })
        yield* fork(number, lookAt(payouts, look, reference ?? ""))
      })

    // Takes over the items of an earlier owner. Its requests may have been sent.
    const nextOpen = makePages(owner, ["sending", "created", "unknown", "pending"])
    for (let page = yield* nextOpen; page.length > 0; page = yield* nextOpen) {
      const sent = page.filter(({ state }) => state === "sending")
      const doubtful = sent.map(({ number }): Batches.Change => ({ number, state: "unknown" }))
      yield* write(doubtful)
      yield* Effect.forEach([...page, ...doubtful], onStored, { discard: true })
    }
    yield* follow(owner, () => [...open.unknown, ...open.pending], arrive).pipe(
      afterDefects(`the items that the batch ${batchKey} has handed over`),
      Effect.forkScoped
    )

    const nextWaiting = makePages(owner, ["waiting"])
    let hasReadAll = false
    while (true) {
      const batch = Option.getOrThrow(yield* persistently(table.find(batchKey)))
      if (batch.epoch !== epoch) return yield* new Overtaken()
      if (batch.ended !== null) return
      if (waiting.length === 0 && !hasReadAll) {
        waiting.push(...(yield* nextWaiting))
        hasReadAll = waiting.length === 0
      }

      const now = yield* Clock.currentTimeMillis
      const results = [...arrived.values()]
      arrived = new Map()
      const answered = results.filter(({ number }) => open.sending.has(number))
      const allowed = yield* next(answered, now)
      // An item keeps its place until its first request has ended.
      const sending = open.sending.size - answered.length
      const inDoubt = new Set(open.unknown)
      for (const { number, state } of results) {
        if (state === "unknown") inDoubt.add(number)
        else inDoubt.delete(number)
      }
      // Each request that is sent may be in doubt too.
      const safe = mostInDoubt * concurrency - inDoubt.size
      const room = batch.phase === "running" ? Math.max(0, Math.min(allowed, safe) - sending) : 0
      const group = waiting.splice(0, room)

      const begun = group.map(({ number }): Batches.Change => ({
        number,
        state: "sending",
        sent: now
      }))
      yield* write([...results, ...begun])
      yield* Effect.forEach(results, onStored, { discard: true })
      for (const item of group) {
        open.sending.set(item.number, item)
        yield* fork(item.number, send(payouts, batchKey, item))
      }

      const isIdle = Object.values(open).every(({ size }) => size === 0)
      if (isIdle && (batch.phase === "interrupted" || waiting.length === 0)) {
        const where = { epoch, phases: ["running", "paused", "interrupted"] } as const
        yield* persistently(table.change(batchKey, { phase: "ended", ended: now }, where))
        continue
      }
      yield* Effect.timeoutOption(woken.await, idle)
      // The responses to other requests that arrive meanwhile are stored by the same statement.
      if (arrived.size < open.sending.size) yield* Effect.sleep(gatherMillis)
      woken.unsafeClose()
    }
  }).pipe(Effect.scoped)
