import { Operator } from "@manilla/workflow-engine"
import { DisbursePayout } from "@manilla/workflows"
import { Effect, Exit, ManagedRuntime, Option } from "effect"
import { engine } from "./engine.js"

type Payout = typeof DisbursePayout.workflow.payloadSchema.Type

/** Opens the database. Call it once, when your server starts. */
export const open = async () => {
  const runtime = ManagedRuntime.make(engine)
  const payouts = await runtime.runPromise(Operator.of(DisbursePayout.workflow))
  return {
    /** Resolves once the payout is stored: a runner makes it, whatever happens to this process. */
    start: (payout: Payout) => runtime.runPromise(payouts.start(payout)),

    /** `look at it`: a person does, for example with `manilla-workflows show`. */
    stateOf: (key: string) =>
      runtime.runPromise(
        Effect.map(
          payouts.poll(key),
          Option.match({
            onNone: () => "open" as const,
            onSome: (end) =>
              Exit.isSuccess(end) && end.value.status === "COMPLETED"
                ? ("paid" as const)
                : ("look at it" as const)
          })
        )
      ),

    close: () => runtime.dispose()
  }
}
