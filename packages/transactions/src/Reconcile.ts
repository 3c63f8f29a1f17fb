/**
 * Compares what was asked with the resources and the transactions of the service, item by item. A
 * comparison of totals would miss two errors that cancel out.
 *
 * @since 0.1.0
 */
import * as Amount from "@manilla/core/Amount"
import * as Arr from "effect/Array"

/**
 * A payment, payout or card that was asked for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Asked {
  /** Its own name, such as a business key. */
  readonly key: string
  readonly amount: Amount.Amount
  readonly currency: string
}

/**
 * A resource or a transaction of the service.
 *
 * @since 0.1.0
 * @category models
 */
export interface Found {
  /**
   * The `key` of what was asked, if it can be told, for example from the metadata. The interface does not
   * show that a transaction has the metadata of its resource.
   */
  readonly key: string | undefined
  /** Its id or reference. */
  readonly id: string
  readonly amount: Amount.Amount
  readonly currency: string
  readonly status: string
}

type Side = "resources" | "transactions"

/**
 * A difference between what was asked for and what the service has.
 *
 * | difference      | meaning                                                        |
 * | --------------- | -------------------------------------------------------------- |
 * | `missing`       | it was asked for, and is not there                             |
 * | `orphaned`      | it is there, and nobody asked for it                           |
 * | `repeated`      | it was asked for once, and is there more than once             |
 * | `amountDiffers` | it is there with another amount or currency                    |
 * | `notCompleted`  | it is there with another status than `COMPLETED`               |
 * | `askedTwice`    | the list of what was asked has its key more than once          |
 *
 * @since 0.1.0
 * @category models
 */
export type Difference =
  | { readonly is: "missing"; readonly in: Side; readonly key: string }
  | { readonly is: "orphaned"; readonly in: Side; readonly found: Found }
  | {
      readonly is: "repeated"
      readonly in: Side
      readonly key: string
      readonly ids: ReadonlyArray<string>
    }
  | {
      readonly is: "amountDiffers" | "notCompleted"
      readonly in: Side
      readonly asked: Asked
      readonly found: Found
    }
  | { readonly is: "askedTwice"; readonly key: string }

/**
 * Compares each item. An item is matched, or has at least one difference. A row that occurs twice with the same
 * values counts once, because a list that is read while rows are added may return it twice.
 *
 * @example
 * import * as Amount from "@manilla/core/Amount"
 * import * as Reconcile from "@manilla/transactions/Reconcile"
 *
 * const salary = { key: "E007", amount: Amount.Amount.make("250000"), currency: "XOF" }
 * const payout = { ...salary, id: "PO-1", status: "COMPLETED" }
 *
 * const report = Reconcile.compare({ asked: [salary], resources: [payout], transactions: [] })
 * // { matched: [], differences: [{ is: "missing", in: "transactions", key: "E007" }] }
 *
 * @since 0.1.0
 * @category functions
 */
export const compare = ({
  asked,
  resources,
  transactions
}: {
  readonly asked: ReadonlyArray<Asked>
  readonly resources: ReadonlyArray<Found>
  readonly transactions: ReadonlyArray<Found>
}): {
  /** The keys with one completed resource and one completed transaction, both of the amount that was asked. */
  readonly matched: ReadonlyArray<string>
  readonly differences: ReadonlyArray<Difference>
} => {
  const items = byKey(asked)
  const sides = [
    sideOf("resources", distinct(resources)),
    sideOf("transactions", distinct(transactions))
  ]

  const compared = [...items].map(([key, [item, ...more]]) => ({
    key,
    differences: [
      ...(more.length === 0 ? [] : [{ is: "askedTwice", key } as const]),
      ...sides.flatMap(({ known, side }) => differencesOf(item, side, known.get(key)))
    ]
  }))
  const orphaned = sides.flatMap(({ found, side }) =>
    found
      .filter(({ key }) => key === undefined || !items.has(key))
      .map((one): Difference => ({ is: "orphaned", in: side, found: one }))
  )
  return {
    matched: compared.flatMap(({ differences, key }) => (differences.length === 0 ? [key] : [])),
    differences: [...compared.flatMap(({ differences }) => differences), ...orphaned]
  }
}

/** Without rows that are the same as an earlier one: a list may return a row twice while rows are added. */
const distinct = (rows: ReadonlyArray<Found>): ReadonlyArray<Found> => {
  const textOf = ({ amount, currency, id, key, status }: Found) =>
    JSON.stringify([id, key, amount, currency, status])
  return [...new Map(rows.map((row) => [textOf(row), row])).values()]
}

const sideOf = (side: Side, found: ReadonlyArray<Found>) => ({ side, found, known: byKey(found) })

const byKey = <A extends { readonly key: string | undefined }>(
  all: ReadonlyArray<A>
): ReadonlyMap<string, Arr.NonEmptyReadonlyArray<A>> => {
  const map = new Map<string, Arr.NonEmptyReadonlyArray<A>>()
  for (const one of all) {
    if (one.key === undefined) continue
    const before = map.get(one.key)
    map.set(one.key, before === undefined ? [one] : Arr.append(before, one))
  }
  return map
}

const differencesOf = (
  asked: Asked,
  side: Side,
  all: ReadonlyArray<Found> = []
): ReadonlyArray<Difference> => {
  const { amount, currency, key } = asked
  if (all.length === 0) return [{ is: "missing", in: side, key }]
  const repeated: ReadonlyArray<Difference> =
    all.length === 1 ? [] : [{ is: "repeated", in: side, key, ids: all.map(({ id }) => id) }]
  const wrong = (is: "amountDiffers" | "notCompleted", isRight: (found: Found) => boolean) =>
    all
      .filter((found) => !isRight(found))
      .map((found): Difference => ({ is, in: side, asked, found }))
  return [
    ...repeated,
    ...wrong(
      "amountDiffers",
      (found) => found.currency === currency && Amount.Equivalence(found.amount, amount)
    ),
    ...wrong("notCompleted", ({ status }) => status === "COMPLETED")
  ]
}
