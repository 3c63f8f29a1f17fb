// The table of the failures between a client and the service, from the one that the tests of core go through.
import * as FailureTable from "@manilla/test-support/FailureTable"
import { table } from "./operations.js"

/** Such as `not applied`, or `not applied over UndiciClient, else unknown`. */
const outcomeOf = (row: FailureTable.Row): string => {
  const clients = FailureTable.clients.filter(
    (client) => FailureTable.outcomeOn(row, client) !== "–"
  )
  const [first, second] = FailureTable.outcomes
    .map((outcome) => ({
      outcome,
      over: clients.filter((client) => FailureTable.outcomeOn(row, client) === outcome)
    }))
    .filter(({ over }) => over.length > 0)
    .sort((one, other) => one.over.length - other.over.length)
  if (first === undefined) throw new Error(`No client meets: ${row.event}`)
  return second === undefined
    ? first.outcome
    : `${first.outcome} over ${first.over.join(", ")}, else ${second.outcome}`
}

/** The failures of one group. */
export const failures = (group: string): string =>
  table(
    ["event", "a write was", "the error says"],
    ...Object.values(FailureTable.rows)
      .filter((row) => row.group === group)
      .map((row) => [row.event, outcomeOf(row), row.says ?? ""])
  )
