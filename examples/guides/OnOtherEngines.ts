import { DisbursePayout, Steps } from "@manilla/workflows"
import type { ManagedRuntime } from "effect"
import { defineWorkflow } from "openworkflow"

type Payload = Steps.Payload<typeof DisbursePayout.workflow>
type Runtime = ManagedRuntime.ManagedRuntime<Steps.Bodies, unknown>

// #region openworkflow
/** Pass it to `implementWorkflow`, and start it with the key of the payload as its `idempotencyKey`. */
export const onOpenWorkflow = (runtime: Runtime) => {
  const pay = Steps.runner(DisbursePayout.workflow, runtime)
  return defineWorkflow<Payload, Steps.End<typeof DisbursePayout.workflow>>(
    // An error is one of the database, or of a process that cannot run it: by default, one would end it.
    { name: DisbursePayout.workflow.name, retryPolicy: { maximumAttempts: 0 } },
    ({ input, step }) =>
      pay(input, {
        id: input.key,
        run: (name, f) => step.run({ name, retryPolicy: { maximumAttempts: 0 } }, f),
        sleep: (name, millis) => step.sleep(name, `${millis}ms`)
      })
  )
}
// #endregion openworkflow

// #region inngest
/** The members of Inngest's `step` that it uses. */
interface InngestStep {
  readonly run: (name: string, f: () => Promise<string>) => Promise<string>
  readonly sleep: (name: string, millis: number) => Promise<void>
}

/**
 * The body of a function with `idempotency: "event.data.key"`. Keep `bufferedSteps` of Inngest's checkpointing at 1, its
 * default: with more, a request would be sent before it is stored that it may be.
 */
export const onInngest = (runtime: Runtime) => {
  const pay = Steps.runner(DisbursePayout.workflow, runtime)
  return ({ event, step }: { event: { data: Payload }; step: InngestStep }) =>
    pay(event.data, {
      id: event.data.key,
      run: (name, f) => step.run(name, f),
      sleep: (name, millis) => step.sleep(name, millis),
      maxBytes: 4_000_000
    })
}
// #endregion inngest

// #region cloudflare
/** The members of the `WorkflowStep` of Cloudflare that it uses. */
interface CloudflareStep {
  readonly do: (
    name: string,
    config: { retries: { limit: number; delay: number }; timeout: string },
    f: () => Promise<string>
  ) => Promise<string>
  readonly sleep: (name: string, millis: number) => Promise<void>
}

/** The body of `run` of a `WorkflowEntrypoint`. Create its instance with `Steps.idOf` of the payload as `id`. */
export const onCloudflare = (runtime: Runtime) => {
  const pay = Steps.runner(DisbursePayout.workflow, runtime)
  return (event: { payload: Payload; instanceId: string }, step: CloudflareStep) =>
    pay(event.payload, {
      id: event.instanceId,
      // A step never throws. A step that its machine has lost runs again.
      run: (name, f) =>
        step.do(name, { retries: { limit: 100, delay: 1_000 }, timeout: "15 minutes" }, f),
      sleep: (name, millis) => step.sleep(name, millis),
      maxBytes: 1_000_000
    })
}
// #endregion cloudflare
