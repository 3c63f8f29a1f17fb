/**
 * The invariants that every run must satisfy.
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
      ...Money.appliedOnce(evidence, books),
      ...Outcomes.outcomesOfCalls(evidence),
      ...Books.settled(books),
      ...Books.balanced(books),
      ...Books.accountedFor(books),
      ...Reads.rowsMatchBooks(evidence.read, books),
      ...(evidence.seen === undefined ? [] : Reads.listsMatchBooks(evidence.seen, books)),
      ...Policy.withinPolicy(evidence),
      ...Money.sameBytes(evidence),
      ...Money.requestsMatchInstructions(evidence),
      ...Progress.retriesWhilePossible(evidence),
      ...Progress.recovers(evidence),
      ...Tokens.tokenUse(evidence),
      ...Processes.endCleanly(evidence),
      ...Outcomes.interruptionsLogged(evidence)
    ]
  })
