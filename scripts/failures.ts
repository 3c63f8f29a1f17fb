// The table of the failures between a client and the service, from the one that the tests of core go through.
import * as FailureTable from "@manilla/test-support/FailureTable"
import { table } from "./operations.js"

const exceptions = (row: FailureTable.Row): string => {
  const others = FailureTable.clients.filter((client) => {
    const outcome = FailureTable.outcomeOn(row, client)
    return outcome !== row.outcome && outcome !== "–"
  })
  const [first] = others
  return first === undefined
    ? ""
    : `${FailureTable.outcomeOn(row, first)} over ${others.join(", ")}`
}

/** The failures of one group. */
export const failures = (group: string): string =>
  table(
    ["event", "a write was", "the error says", "except"],
    ...Object.values(FailureTable.rows)
      .filter((row) => row.group === group)
      .map((row) => [row.event, row.outcome, row.says ?? "", exceptions(row)])
  )
