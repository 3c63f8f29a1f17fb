/**
 * Collects a payment as a durable workflow: creates the payment intent, and waits until its status is
 * final, however long that takes and however often the process dies.
 *
 * @since 0.1.0
 */
export * as CollectPayment from "./CollectPayment.js"

/**
 * Pays a beneficiary as a durable workflow: creates the payout, and waits until its status is final,
 * however long that takes and however often the process dies.
 *
 * @since 0.1.0
 */
export * as DisbursePayout from "./DisbursePayout.js"

/**
 * Building blocks for your own durable workflows. A body is an Effect that calls only these blocks: each
 * stores its result, so a later life of the process replays the body up to where it was.
 *
 * Rules for a body:
 *
 * - It calls blocks one after another. Start an execution each for what should run concurrently.
 * - Everything that reads or changes the world, the clock and random numbers included, happens in a block.
 * - Each block has a name of its own. A loop puts its index into the names.
 * - A changed body gets a new name, such as `Shop/SendGift/2`. Keep the layer of the old one until its
 *   executions have ended.
 *
 * @since 0.1.0
 */
export * as Durable from "./Durable.js"

/**
 * The engine that workflows run on: Effect's `WorkflowEngine`, and a store in which executions are found
 * by business key. `@manilla/workflows/memory`, `@manilla/workflows/sqlite` and
 * `@manilla/workflows/postgres` have its layers.
 *
 * @since 0.1.0
 */
export * as Engine from "./Engine.js"

/**
 * An execution of a workflow: one per workflow and business key, and the errors of operating it.
 *
 * @since 0.1.0
 */
export * as Execution from "./Execution.js"

/**
 * Lists the executions of all workflows, and deletes what is stored of those that have ended. Each
 * workflow's own service operates single executions by business key.
 *
 * @since 0.1.0
 */
export * as Executions from "./Executions.js"

/**
 * Issues a virtual card as a durable workflow. An issuance is final when it is created, so there is no
 * wait.
 *
 * @since 0.1.0
 */
export * as IssueCard from "./IssueCard.js"

/**
 * Starts and operates the executions of a workflow by business key.
 *
 * @since 0.1.0
 */
export * as Operator from "./Operator.js"

/**
 * Watches a payment link as a durable workflow, until it is used up or no longer active, however long that
 * takes and however often the process dies. It reads only: the link is created before.
 *
 * @since 0.1.0
 */
export * as PaymentLinkWatch from "./PaymentLinkWatch.js"

/**
 * Pays many beneficiaries as one durable batch. Each item is an execution of `DisbursePayout` with a
 * business key, and so a service key, from the keys of the batch and of the item: no item is paid twice,
 * however often the process dies.
 *
 * @since 0.1.0
 */
export * as PayoutBatch from "./PayoutBatch.js"

/**
 * How long a workflow goes on, and how long it pauses in between.
 *
 * @since 0.1.0
 */
export * as Policy from "./Policy.js"

/**
 * Compares what was asked with the resources and the transactions of the service, item by item. A
 * comparison of totals would miss two errors that cancel out.
 *
 * @since 0.1.0
 */
export * as Reconcile from "./Reconcile.js"

/**
 * The execution that a body runs in. The blocks of `Durable` need it, and `Durable.layer` provides it.
 *
 * @since 0.1.0
 */
export * as Running from "./Running.js"
