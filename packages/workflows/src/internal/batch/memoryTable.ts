import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Table from "./Table.js"

/** Batches in memory. */
export const make = Effect.sync((): Table.Service => {
  const batches = new Map<string, Table.Stored>()
  const itemsOf = new Map<string, Map<number, Table.Item>>()
  const keysOf = new Map<string, Set<string>>()

  const items = (batchKey: string) => itemsOf.get(batchKey) ?? new Map<number, Table.Item>()
  const isIn = (batchKey: string, epoch: number) => batches.get(batchKey)?.epoch === epoch

  return {
    insert: (batchKey, startedMillis) =>
      Effect.sync(() => {
        if (batches.has(batchKey)) return
        itemsOf.set(batchKey, new Map())
        keysOf.set(batchKey, new Set())
        batches.set(batchKey, {
          epoch: 0,
          total: undefined,
          isPaused: false,
          isCancelRequested: false,
          startedMillis,
          endedMillis: undefined,
          isPurged: false
        })
      }),
    find: (batchKey) => Effect.sync(() => Option.fromNullable(batches.get(batchKey))),
    change: (batchKey, change, epoch) =>
      Effect.sync(() => {
        const stored = batches.get(batchKey)
        if (stored === undefined || (epoch !== undefined && stored.epoch !== epoch)) {
          return Option.none()
        }
        const changed = { ...stored, ...change }
        batches.set(batchKey, changed)
        return Option.some(changed)
      }),
    add: (batchKey, epoch, added) =>
      Effect.sync(() => {
        if (!isIn(batchKey, epoch)) return []
        const keys = keysOf.get(batchKey) ?? new Set()
        return added.flatMap((item) => {
          if (keys.has(item.key)) return []
          keys.add(item.key)
          items(batchKey).set(item.number, { ...item, state: "waiting" })
          return [item.number]
        })
      }),
    write: (batchKey, epoch, changes) =>
      Effect.sync(() => {
        if (!isIn(batchKey, epoch)) return false
        for (const change of changes) {
          const item = items(batchKey).get(change.number)
          if (item !== undefined) items(batchKey).set(change.number, { ...item, ...change })
        }
        return true
      }),
    read: (batchKey, { after = -1, keys, numbers, states }, limit) =>
      Effect.sync(() =>
        [...items(batchKey).values()]
          .filter(
            ({ key, number, state }) =>
              number > after &&
              (keys === undefined || keys.includes(key)) &&
              (numbers === undefined || numbers.includes(number)) &&
              (states === undefined || states.includes(state))
          )
          .slice(0, limit)
      ),
    count: (batchKey) =>
      Effect.sync(() => {
        const counts: Partial<Record<Table.State, number>> = {}
        for (const { state } of items(batchKey).values()) counts[state] = (counts[state] ?? 0) + 1
        return counts
      }),
    clear: (batchKey, epoch) =>
      Effect.sync(() => {
        if (!isIn(batchKey, epoch)) return
        items(batchKey).clear()
        keysOf.get(batchKey)?.clear()
      })
  }
})
