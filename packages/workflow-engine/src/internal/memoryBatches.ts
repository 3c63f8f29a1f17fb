import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Batches from "../Batches.js"

interface Kept {
  stored: Batches.Stored
  readonly items: Map<number, Batches.Item>
  readonly keys: Set<string>
}

/** Batches in memory. */
export const make = Effect.sync((): Batches.Service => {
  const batches = new Map<string, Kept>()

  const itemsOf = (batchKey: string) => [...(batches.get(batchKey)?.items.values() ?? [])]
  /** Changes a batch if it is in an epoch. */
  const inEpoch = <A>(batchKey: string, epoch: number, otherwise: A, change: (kept: Kept) => A) =>
    Effect.sync(() => {
      const kept = batches.get(batchKey)
      return kept?.stored.epoch === epoch ? change(kept) : otherwise
    })

  return {
    insert: (batchKey, started) =>
      Effect.sync(() => {
        if (batches.has(batchKey)) return
        const stored = { epoch: 0, phase: "storing", total: 0, started, ended: null } as const
        batches.set(batchKey, { stored, items: new Map(), keys: new Set() })
      }),
    find: (batchKey) => Effect.sync(() => Option.fromNullable(batches.get(batchKey)?.stored)),
    change: (batchKey, change, { epoch, phases }) =>
      Effect.sync(() => {
        const kept = batches.get(batchKey)
        if (kept === undefined) return false
        const { stored } = kept
        const fits =
          (epoch ?? stored.epoch) === stored.epoch && (phases?.includes(stored.phase) ?? true)
        if (fits) kept.stored = { ...stored, ...change }
        return fits
      }),
    add: (batchKey, epoch, added) =>
      inEpoch(batchKey, epoch, [], ({ items, keys }) => {
        const fresh = added.filter(({ key }) => !keys.has(key) && keys.add(key))
        for (const item of fresh) {
          const state = { state: "waiting", sent: null, reference: null, result: null } as const
          items.set(item.number, { ...item, ...state })
        }
        return fresh.map(({ number }) => number)
      }),
    write: (batchKey, epoch, changes) =>
      inEpoch(batchKey, epoch, false, ({ items }) => {
        for (const change of changes) {
          const item = items.get(change.number)
          if (item !== undefined) items.set(change.number, { ...item, ...change })
        }
        return true
      }),
    read: (batchKey, { after = -1, keys, numbers, states }, limit) =>
      Effect.sync(() => {
        const fits = ({ key, number, state }: Batches.Item) =>
          number > after &&
          (keys?.includes(key) ?? true) &&
          (numbers?.includes(number) ?? true) &&
          (states?.includes(state) ?? true)
        return itemsOf(batchKey).filter(fits).slice(0, limit)
      }),
    count: (batchKey) =>
      Effect.sync(() => {
        const counts: Partial<Record<Batches.State, number>> = {}
        for (const { state } of itemsOf(batchKey)) counts[state] = (counts[state] ?? 0) + 1
        return counts
      }),
    alike: (batchKey, [from, to], sentFromMillis) =>
      Effect.sync(() => {
        const alike = new Map<string, Batches.Alike>()
        for (const { number, request, sent, state } of itemsOf(batchKey)) {
          if (number < from || number >= to) continue
          const { amount = null, currency = null } = JSON.parse(request)
          const kind = JSON.stringify([state, amount, currency])
          const { items, recent } = alike.get(kind) ?? { items: 0, recent: 0 }
          const isRecent = sent !== null && sent >= sentFromMillis && state !== "waiting"
          alike.set(kind, {
            state,
            amount,
            currency,
            items: items + 1,
            recent: recent + (isRecent ? 1 : 0)
          })
        }
        return [...alike.values()]
      }),
    clear: (batchKey, epoch) =>
      inEpoch(batchKey, epoch, undefined, ({ items, keys }) => {
        items.clear()
        keys.clear()
      })
  }
})
