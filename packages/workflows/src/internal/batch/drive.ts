import * as Payout from "@manilla/payouts/Payout"
import type * as Batches from "@manilla/workflow-engine/Batches"
import { persistently } from "@manilla/workflow-engine/Store"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { jitter } from "../pauses.js"
import { afterDefects } from "./afterDefects.js"
import { follow } from "./follow.js"
import type { Owner } from "./Owner.js"
import * as rules from "./rules.js"

const itemsPerPage = 1_000
/** Results that arrive within this time are stored together. */
const gatherMillis = 10
/** How often an owner with nothing else to do looks whether its batch was paused, resumed or interrupted. */
const idle = Duration.seconds(1)
/** The most payouts that are read at once. Others are handed over. */
const mostLooks = 5_000
/** The phases in which it may end. */
const beforeEnd = ["running", "paused", "interrupted"] as const
/** The pauses after a refusal that passes, such as a rate limit. */
const shortestPauseMillis = 1_000
const longestPauseMillis = 60_000

/** The first request of an item. */
const send = ({ batchKey, payouts }: Owner, { key, number, request }: Batches.Item) =>
  Effect.gen(function* () {
    const serviceKey = yield* rules.businessKey(batchKey, key)
    // The client checks the request.
    const created = yield* Effect.exit(payouts.create(JSON.parse(request), { key: serviceKey }))
    return { number, ...rules.afterRequest(created) }
  })

/** Reads a payout until its status is final, for the time of the policy's `look`. */
const lookAt = ({ look, payouts }: Owner, number: number, reference: string) =>
  payouts.awaitFinal(Payout.makeReference(reference), look).pipe(
    Effect.exit,
    Effect.map((exit) => ({ number, ...rules.afterLook(exit) }))
  )

/** Reads the waiting items of a batch page by page. */
const makeQueue = ({ batchKey, engine }: Owner) => {
  const items: Array<Batches.Item> = []
  let after = -1
  let isWhole = false
  return {
    items,
    fill: Effect.gen(function* () {
      if (items.length > 0 || isWhole) return
      const page = yield* persistently(
        engine.batches.read(batchKey, { states: ["waiting"], after }, itemsPerPage)
      )
      items.push(...page)
      after = page.at(-1)?.number ?? after
      isWhole = page.length < itemsPerPage
    }),
    isEmpty: () => isWhole && items.length === 0
  }
}

/** How many requests may go on at once: after a refusal that passes, such as a rate limit, fewer, and later. */
const makePace = ({ batchKey, concurrency }: Owner) => {
  let allowed = concurrency
  let pauseMillis = 0
  let notBeforeMillis = 0
  /** If more than the longest pause is left, the clock was set back, and the pause is over. */
  const isPausing = (nowMillis: number) =>
    nowMillis < notBeforeMillis && notBeforeMillis <= nowMillis + longestPauseMillis
  return {
    allowed: (nowMillis: number) => (isPausing(nowMillis) ? 0 : allowed),
    /** Learns from the ends of requests. */
    adapt: (ended: ReadonlyArray<Batches.Change>, nowMillis: number) =>
      Effect.gen(function* () {
        if (ended.length === 0 || isPausing(nowMillis)) return
        if (ended.every(({ state }) => state !== "waiting")) {
          allowed = Math.min(concurrency, 2 * allowed)
          pauseMillis = 0
          return
        }
        if (pauseMillis === 0) {
          yield* Effect.logWarning(
            `The service refuses requests of the batch ${batchKey} for now. It goes on, more slowly.`
          )
        }
        allowed = 1
        pauseMillis = Math.min(Math.max(2 * pauseMillis, shortestPauseMillis), longestPauseMillis)
        notBeforeMillis = nowMillis + (yield* jitter(pauseMillis))
      })
  }
}

/**
 * Sends the first request of each waiting item, and hands over what is not final after it. Returns whether the
 * batch has ended: if not, another owner has begun, and this one changes nothing more and sends nothing more.
 */
export const drive = (owner: Owner): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const { batchKey, epoch } = owner
    const table = owner.engine.batches
    const scope = yield* Effect.scope
    const queue = makeQueue(owner)
    const pace = makePace(owner)
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
    /** Runs a request. After a defect, the item is handed over. */
    const fork = (change: Effect.Effect<Batches.Change>, otherwise: Batches.Change) =>
      change.pipe(
        Effect.catchAllDefect((defect) =>
          Effect.as(
            Effect.logError(`A defect in an item of the batch ${batchKey}`, defect),
            otherwise
          )
        ),
        Effect.map(arrive),
        Effect.forkIn(scope)
      )

    /** Does what follows a change that is stored. */
    const follows = ({ number, reference, state }: Batches.Change) => {
      const item = open.sending.get(number)
      for (const items of Object.values(open)) items.delete(number)
      switch (state) {
        case "waiting":
          if (item !== undefined) queue.items.push(item)
          return Effect.void
        case "created":
          if (open.created.size >= mostLooks) {
            return Effect.sync(() => arrive({ number, state: "pending" }))
          }
          open.created.add(number)
          return fork(lookAt(owner, number, reference ?? ""), { number, state: "pending" })
        case "unknown":
        case "pending":
          open[state].add(number)
          return Effect.void
        default:
          return Effect.void
      }
    }

    const write = (changes: ReadonlyArray<Batches.Change>) =>
      changes.length === 0
        ? Effect.succeed(true)
        : persistently(table.write(batchKey, epoch, changes))

    /** Takes over the items of an earlier owner. Its requests may have been sent. False if another one has begun. */
    const takeOver = Effect.gen(function* () {
      const states = ["sending", "created", "unknown", "pending"] as const
      for (let after = -1; ;) {
        const page = yield* persistently(table.read(batchKey, { states, after }, itemsPerPage))
        const sent = page.flatMap(({ number, state }): ReadonlyArray<Batches.Change> =>
          state === "sending" ? [{ number, state: "unknown" }] : []
        )
        if (!(yield* write(sent))) return false
        const others = page.filter(({ state }) => state !== "sending")
        yield* Effect.forEach([...sent, ...others], follows, { discard: true })
        const last = page.at(-1)
        if (last === undefined) return true
        after = last.number
      }
    })

    /** How many further requests may go on. An item keeps its place until its payout exists or it has ended. */
    const roomAfter = (results: ReadonlyArray<Batches.Change>, nowMillis: number) => {
      const left = results.filter(
        ({ number, state }) =>
          state !== "unknown" && (open.sending.has(number) || open.unknown.has(number))
      )
      return Math.max(
        0,
        pace.allowed(nowMillis) - (open.sending.size + open.unknown.size - left.length)
      )
    }

    if (!(yield* takeOver)) return false
    yield* follow(owner, () => [...open.unknown, ...open.pending], arrive).pipe(
      afterDefects(`the items that the batch ${batchKey} has handed over`),
      Effect.forkIn(scope)
    )

    while (true) {
      const batch = Option.getOrThrow(yield* persistently(table.find(batchKey)))
      if (batch.epoch !== epoch) return false
      if (batch.ended !== null) return true
      yield* queue.fill
      const now = yield* Clock.currentTimeMillis
      const results = [...arrived.values()]
      arrived = new Map()
      yield* pace.adapt(
        results.filter(({ number }) => open.sending.has(number)),
        now
      )
      const room = batch.phase === "running" ? roomAfter(results, now) : 0
      const group = queue.items.splice(0, room)
      const begun = group.map(({ number }): Batches.Change => ({
        number,
        state: "sending",
        sent: now
      }))
      if (!(yield* write([...results, ...begun]))) return false
      yield* Effect.forEach(results, follows, { discard: true })
      for (const item of group) {
        open.sending.set(item.number, item)
        yield* fork(send(owner, item), { number: item.number, state: "unknown" })
      }

      const isIdle = Object.values(open).every(({ size }) => size === 0) && arrived.size === 0
      if (isIdle && (batch.phase === "interrupted" || queue.isEmpty())) {
        const isEnded = { phase: "ended", ended: now } as const
        yield* persistently(table.change(batchKey, isEnded, { epoch, phases: beforeEnd }))
        continue
      }
      yield* Effect.timeoutOption(woken.await, idle)
      if (arrived.size < open.sending.size) yield* Effect.sleep(gatherMillis)
      woken.unsafeClose()
    }
  }).pipe(Effect.scoped)
