/**
 * The queue of pending faults, and the requests that they apply to.
 */
import * as Predicate from "effect/Predicate"
import * as Utils from "effect/Utils"
import type * as Fault from "../../Fault.js"
import * as Scenario from "../../Scenario.js"
import type * as state from "../store/state.js"

type Row = typeof state.Fault.Type

export const make = ({ added_faults: count, faults: rows }: state.State) => {
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
    add: (rule: Scenario.FaultRule): Scenario.PendingFault => {
      const added = count.current() + 1
      count.set(added)
      const row: Row = {
        id: `fault-${added}`,
        rule,
        remaining: rule.count ?? 1,
        generator: new Utils.PCGRandom(rule.seed ?? 0).getState()
      }
      rows.set(row)
      return pendingOf(row)
    },
    /** Removes a fault. Returns `false` if no pending fault has this id. */
    remove: (id: string) => rows.remove(id),
    clear: (): void => {
      for (const { id } of rows.all()) rows.remove(id)
    },
    /** The faults that are not used up. */
    pending: () => rows.all().map(pendingOf),
    /** Takes the fault that applies to a request, if any. */
    take: (request: Selectable): Scenario.FaultRule | undefined => {
      const met = rows.all().find((row) => applies(row.rule, request) && isDrawn(row))
      const row = met && rows.get(met.id)
      if (row === undefined) return undefined
      const { remaining } = row
      if (remaining === 1) rows.remove(row.id)
      else if (remaining !== "always") rows.set({ ...row, remaining: remaining - 1 })
      return row.rule
    }
  }
}

const pendingOf = ({ id, remaining, rule }: Row): Scenario.PendingFault => ({ id, remaining, rule })

/** A scenario applies to its operations only. */
const applies = (rule: Scenario.FaultRule, request: Selectable): boolean => {
  if (!selects(rule, request)) return false
  if (rule.fault !== "scenario") return true
  const scenario = Scenario.named(rule.scenario)
  return scenario !== undefined && Scenario.appliesTo(scenario, request.operation)
}

/** The parts of a request that select its fault. */
export interface Selectable {
  readonly operation: string | undefined
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The JSON of the body; `undefined` if it is not JSON. */
  readonly body: () => unknown
}

const selects = ({ field, header, operation }: Fault.Target, request: Selectable): boolean => {
  if (operation !== undefined && operation !== request.operation) return false
  if (header !== undefined) {
    const given = request.headers[header.name.toLowerCase()]
    if (given === undefined || (header.value !== undefined && given !== header.value)) return false
  }
  return field === undefined || valueAt(request.body(), field.name) === field.value
}

/** The value at a path such as `payer.phone_number`. */
export const valueAt = (json: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, name) => (Predicate.hasProperty(value, name) ? value[name] : undefined),
      json
    )
