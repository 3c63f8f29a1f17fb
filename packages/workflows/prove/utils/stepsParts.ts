/** The shared parts of the workers that run the jobs of the kill tests on engines that are not ours. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as Workflows from "@effect/workflow/Workflow"
import * as Cards from "@manilla/cards/Cards"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import * as CollectPayment from "@manilla/workflows/CollectPayment"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as IssueCard from "@manilla/workflows/IssueCard"
import * as Policy from "@manilla/workflows/Policy"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type { Job, OtherEngine, Settings } from "./jobs.js"
import * as workerParts from "./workerParts.js"

export const settings: Settings<OtherEngine> = JSON.parse(process.env["WORKER"] ?? "{}")

/** The workflows, for any engine. */
export const workflows = Layer.mergeAll(
  CollectPayment.layer,
  DisbursePayout.layer,
  IssueCard.layer
).pipe(
  Layer.provide(Policy.layer(workerParts.policy)),
  Layer.provide(Layer.mergeAll(Payments.layer, Payouts.layer, Cards.layer)),
  Layer.provide(workerParts.gateway(settings, workerParts.shortRetry)),
  Layer.provide(FetchHttpClient.layer)
)

/** A workflow of this package or another. */
export type Workflow<
  P extends Workflows.AnyStructSchema,
  A extends Schema.Schema.Any,
  E extends Schema.Schema.All
> = Workflows.Workflow<string, P, A, E>

/** Makes what runs an execution to its end, or finds the one of an earlier life. */
type Of<R> = <
  P extends Workflows.AnyStructSchema,
  A extends Schema.Schema.Any,
  E extends Schema.Schema.All
>(
  workflow: Workflow<P, A, E>
) => (payload: P["Encoded"]) => Effect.Effect<unknown, unknown, R>

/** How an engine runs each of the jobs. Its workflows are known before it is launched. */
export const executor = <R>(of: Of<R>) => {
  const collect = of(CollectPayment.workflow)
  const disburse = of(DisbursePayout.workflow)
  const issue = of(IssueCard.workflow)
  return (job: Job): Effect.Effect<unknown, unknown, R> => {
    const key = job.businessKey
    switch (job.kind) {
      case "payment":
        return collect({ key, ...job.request })
      case "payout":
        return disburse({ key, ...job.request })
      case "card":
        return issue({ key, ...job.request })
      case "batch":
        return Effect.dieMessage("no batches")
    }
  }
}
