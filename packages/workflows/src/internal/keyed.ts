import type * as Workflow from "@effect/workflow/Workflow"

const all = new WeakSet<Workflow.Any>()

/** A workflow of this package. Its `idempotencyKey` is its key. */
export const keyed = <W extends Workflow.Any>(workflow: W): W => {
  all.add(workflow)
  return workflow
}

/** Whether the `idempotencyKey` of a workflow is known to be its key. */
export const isKeyed = (workflow: Workflow.Any): boolean => all.has(workflow)
