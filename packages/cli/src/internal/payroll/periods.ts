/** The period of a payroll, its state file, and the other periods beside it. */
import * as Amount from "@manilla/core/Amount"
import type * as Batches from "@manilla/workflow-engine/Batches"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Sqlite from "@manilla/workflow-engine/sqlite"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Schema from "effect/Schema"
import { readdirSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { usage } from "../failure.js"
import { personOf, type Row } from "./file.js"
import { sight } from "./twins.js"
import { listed, type Words } from "./words.js"

const date = /\d{4}-\d\d(?:-\d\d)?/

/** The period that is given, or the date in the name of the file if the name has no other digits. */
export const of = (file: string, given: Option.Option<string>, words: Words) => {
  if (Option.isSome(given)) {
    return /^[\w.-]{1,50}$/.test(given.value) ? Effect.succeed(given.value) : usage(words.badPeriod)
  }
  const name = basename(file)
  const [found] = date.exec(name) ?? []
  if (found === undefined) return usage(words.noDate(name))
  const others = name.replace(found, "").match(/\d+(?:-\d+)*/g) ?? []
  return others.length === 0
    ? Effect.succeed(found)
    : usage(words.otherDigits(name, found, others.join(", ")))
}

/** No batch of another program has such a key, so that their payouts have other keys. */
export const batchKeyOf = (period: string): string => `manilla-payroll:${period}`

/** In the folder of the spreadsheet. */
export const stateOf = (folder: string, period: string, environment: string): string =>
  join(folder, `payroll-${period}.${environment.toLowerCase()}.db`)

export interface Stored {
  readonly state: string
  readonly period: string
  readonly batch: Batches.Stored
  readonly items: ReadonlyArray<Batches.Item>
}

/** The batch of a period, if its state file has it. Runs nothing. */
export const read = (state: string, period: string) =>
  Effect.gen(function* () {
    // A process that ended at once, or found the disk full, leaves an empty file.
    if (!statSync(state, { throwIfNoEntry: false })?.size) return Option.none()
    const batches = yield* Sqlite.batches(state)
    const batchKey = batchKeyOf(period)
    const found = yield* batches.find(batchKey)
    if (Option.isNone(found) || found.value.phase === "storing") return Option.none()
    if (found.value.phase === "purged") {
      return yield* new Execution.ExecutionPurged({
        workflow: PayoutBatch.workflow.name,
        businessKey: batchKey,
        state: "Succeeded",
        endedMillis: found.value.ended ?? 0
      })
    }
    const batch = found.value
    const items = yield* batches.read(batchKey, {}, batch.total)
    return Option.some<Stored>({ state, period, batch, items })
  }).pipe(Effect.scoped)

/** Whether nothing was paid, and nothing will be. */
const isUnpaid = ({ phase }: Batches.Stored, { state }: Batches.Item): boolean =>
  state === "failed" || (state === "waiting" && (phase === "ended" || phase === "interrupted"))

const ends: ReadonlySet<Batches.State> = new Set([
  "completed",
  "notCompleted",
  "failed",
  "inDoubt",
  "purged"
])

/** The number of rows that are not paid yet, and may be. */
export const remaining = ({ batch, items }: Stored): number =>
  items.filter((item) => !ends.has(item.state) && !isUnpaid(batch, item)).length

const StoredRequest = Schema.parseJson(
  Schema.Struct({ amount: Amount.Amount, currency: Schema.String, destination: Schema.String })
)

/** How far back the other periods are compared. A month is shorter. */
const recentMillis = Duration.toMillis("40 days")

/** A person, who may have a number in one file and a name in the other: by the employee, and by the phone number. */
const peopleOf = (employee: string, phone: string) => [
  `employee ${sight(employee)}`,
  `phone ${phone.replace(/^\+/, "")}`
]

const unseen =
  (state: string, period: string, words: Words) =>
  ({ message }: { readonly message: string }) =>
    usage(words.unseen(message, period, state))

/** The other periods of the last 40 days, the newest first. Their state files are in the same folder. */
export const recent = (folder: string, period: string, environment: string, words: Words) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const others = readdirSync(folder).flatMap((name) => {
      const [, other = period] = /^payroll-([\w.-]+)\.[a-z]+\.db$/.exec(name) ?? []
      const file = join(folder, name)
      return other !== period && file === stateOf(folder, other, environment) ? [other] : []
    })
    const found = yield* Effect.forEach(others, (other) => {
      const state = stateOf(folder, other, environment)
      return Effect.mapError(read(state, other), unseen(state, other, words))
    })
    const all = Arr.getSomes(found).filter(({ batch }) => now - batch.started <= recentMillis)
    return Arr.sortWith(all, ({ batch }) => batch.started, Order.reverse(Order.number))
  })

/**
 * The periods that have paid rows of this one, each with a sentence such as `2 of 3 rows pay … the same amount as the period
 * 2026-10, which began on 2026-10-27: E1, E2.`
 */
export const repeated = (rows: ReadonlyArray<Row>, others: ReadonlyArray<Stored>, words: Words) =>
  Effect.forEach(others, ({ batch, items, period, state }) =>
    Effect.gen(function* () {
      const paid = new Map<string, ReadonlyArray<typeof StoredRequest.Type>>()
      for (const { key, request } of items.filter((item) => !isUnpaid(batch, item))) {
        const read = yield* Schema.decode(StoredRequest)(request)
        for (const one of peopleOf(key, read.destination)) {
          paid.set(one, [...(paid.get(one) ?? []), read])
        }
      }
      const same = rows.filter(({ cells }) =>
        peopleOf(cells.employee, cells.phone)
          .flatMap((one) => paid.get(one) ?? [])
          .some(
            ({ amount, currency }) =>
              currency === cells.currency &&
              Amount.Equivalence(amount, Amount.Amount.make(cells.amount))
          )
      )
      const day = new Date(batch.started).toLocaleDateString(words.dates)
      const names = namesOf(same, words)
      const text = words.repeated(same.length, rows.length, period, day, names)
      return same.length === 0 ? [] : [{ period, text }]
    }).pipe(Effect.mapError(unseen(state, period, words)))
  ).pipe(Effect.map(Arr.flatten))

/** Such as `1 of 3 employees is not in the period 2026-10: E4.` */
export const newcomers = (
  rows: ReadonlyArray<Row>,
  [last]: ReadonlyArray<Stored>,
  words: Words
): ReadonlyArray<string> => {
  if (last === undefined) return []
  const known = new Set(last.items.map(({ key }) => sight(key)))
  const all = rows.filter(({ cells }) => !known.has(sight(cells.employee)))
  if (all.length === 0) return []
  return [words.newcomers(all.length, rows.length, last.period, namesOf(all, words))]
}

const namesOf = (rows: ReadonlyArray<Row>, words: Words): string =>
  listed(rows.map(personOf), words)
