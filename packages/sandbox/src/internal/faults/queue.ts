/**
 * The queue of pending faults.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Utils from "effect/Utils"
import * as Outcome from "../../Outcome.js"
import * as identifiers from "../rules/identifiers.js"
import * as table from "../store/table.js"
import * as selection from "./selection.js"

export interface Queue {
  readonly add: (rule: Outcome.FaultRule) => Effect.Effect<Outcome.PendingFault>
  /** Removes a fault. Returns `false` if no pending fault has this id. */
  readonly remove: (id: string) => Effect.Effect<boolean>
  readonly clear: Effect.Effect<void>
  /** The faults that are not used up. */
  readonly pending: Effect.Effect<ReadonlyArray<Outcome.PendingFault>>
  /** Takes the fault that applies to a request, if any. */
  readonly take: (request: selection.Request) => Effect.Effect<Outcome.FaultRule | undefined>
}

const Row = Schema.Struct({
  ...Outcome.PendingFault.fields,
  /** The generator of the draws for `probability`. */
  generator: identifiers.Generator
})

type Row = typeof Row.Type

export const declared = table.table(Row, ({ id }) => id)

/** The number of faults that were ever added. */
export const declaredCount = table.value(Schema.NonNegativeInt, 0)

export interface Options {
  readonly rows: table.Table<Row>
  readonly count: table.Value<number>
}

export const make = ({ count, rows }: Options): Queue => {
  /** Whether the draw for `probability` lets the fault apply. */
  const isDrawn = (row: Row): boolean => {
    const { probability } = row.rule
    if (probability === undefined) return true
    const random = new Utils.PCGRandom()
    random.setState(row.generator)
    const drawn = random.number()
    rows.set({ ...row, generator: random.getState() })
    return drawn < probability
  }

  return {
    add: (rule) =>
      Effect.sync(() => {
        count.set(count.get() + 1)
        const row: Row = {
          id: `fault-${count.get()}`,
          rule,
          remaining: rule.count ?? 1,
          generator: new Utils.PCGRandom(rule.seed ?? 0).getState()
        }
        rows.set(row)
        return pendingOf(row)
      }),
    remove: (id) => Effect.sync(() => rows.remove(id)),
    clear: Effect.sync(() => {
      for (const { id } of rows.all()) rows.remove(id)
    }),
    pending: Effect.sync(() => rows.all().map(pendingOf)),
    take: (request) =>
      Effect.sync(() => {
        const met = rows.all().find((row) => applies(row.rule, request) && isDrawn(row))
        const row = met && rows.get(met.id)
        if (row === undefined) return undefined
        const { remaining } = row
        if (remaining === 1) rows.remove(row.id)
        else if (remaining !== "always") rows.set({ ...row, remaining: remaining - 1 })
        return row.rule
      })
  }
}

const pendingOf = ({ id, remaining, rule }: Row): Outcome.PendingFault => ({ id, remaining, rule })

/** An outcome applies to its operations only. */
const applies = (rule: Outcome.FaultRule, request: selection.Request): boolean => {
  if (!selection.selects(rule.match ?? {}, request)) return false
  if (rule.fault !== "outcome") return true
  const outcome = Outcome.named(rule.outcome)
  return outcome !== undefined && Outcome.appliesTo(outcome, request.operation)
}
