import * as Ledger from "@manilla/sandbox/Ledger"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

const print = Effect.gen(function* () {
  const sandbox = yield* Sandbox.Sandbox
  yield* Console.log(Ledger.table(yield* sandbox.ledger))
})
