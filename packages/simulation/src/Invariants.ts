/**
 * What must hold after every run.
 */
import * as Effect from "effect/Effect"
import * as Books from "./invariants/Books.js"
import type { Evidence } from "./invariants/Evidence.js"
import * as Money from "./invariants/Money.js"
import * as Policy from "./invariants/Policy.js"
import * as Processes from "./invariants/Processes.js"
import * as Progress from "./invariants/Progress.js"
import * as Reads from "./invariants/Reads.js"
import * as Tokens from "./invariants/Tokens.js"
import * as Outcomes from "./invariants/Outcomes.js"

export const check = (evidence: Evidence): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const books = yield* Books.read(evidence.sandbox)
    return [
      ...Money.onceAndTrue(evidence, books),
      ...Outcomes.outcomesOfCalls(evidence),
      ...Books.settled(books),
      ...Books.balanced(books),
      ...Books.accountedFor(books),
      ...Reads.rowsAreTrue(evidence.read, books),
      ...(evidence.seen === undefined ? [] : Reads.readTruly(evidence.seen, books)),
      ...Policy.withinPolicy(evidence),
      ...Money.sameBytes(evidence),
      ...Money.asWanted(evidence),
      ...Progress.wentOn(evidence),
      ...Progress.calm(evidence),
      ...Tokens.tokens(evidence),
      ...Processes.endedWhole(evidence),
      ...Outcomes.told(evidence)
    ]
  })
