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
 * How long a workflow goes on, and how long it pauses in between.
 *
 * @since 0.1.0
 */
export * as Policy from "./Policy.js"
