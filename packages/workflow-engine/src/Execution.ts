/**
 * An execution of a workflow, and the errors of operating it.
 *
 * @since 0.1.0
 */
import * as Errors from "@manilla/core/Errors"
import * as Issues from "@manilla/core/Issues"
import { sha256 } from "@noble/hashes/sha2"
import * as Encoding from "effect/Encoding"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { rootMessage } from "./internal/rootMessage.js"

const EndState = Schema.Literal("Succeeded", "Failed", "Died")

/**
 * How an execution ended.
 *
 * @since 0.1.0
 * @category models
 */
export type EndState = typeof EndState.Type

/**
 * The state of an execution.
 *
 * | state         | meaning                                            |
 * | ------------- | -------------------------------------------------- |
 * | `Running`     | it is in a step, or is about to be                 |
 * | `Waiting`     | it is in a durable pause                           |
 * | `Succeeded`   | it ended with a result; check the status of a resource |
 * | `Failed`      | it ended with a typed error                        |
 * | `Died`        | it ended with a defect                             |
 *
 * @since 0.1.0
 * @category schemas
 */
export const State = Schema.Literal("Running", "Waiting", ...EndState.literals)

/**
 * A stored execution.
 *
 * @since 0.1.0
 * @category models
 */
export interface Execution {
  /** The versioned name of the workflow. */
  readonly workflow: string
  readonly businessKey: string
  /** The engine's own name for the execution. */
  readonly executionId: string
  /** The encoded payload, as JSON. It may contain personal data, such as a phone number. Empty after a purge. */
  readonly payload: string
  /** The id of the execution that started this one, if a body did. */
  readonly parent: string | undefined
  readonly startedMillis: number
  /** The number of the runner that runs it. Undefined: any runner may take it once it is due. */
  readonly runner: number | undefined
  /** When it goes on, if no runner has it. */
  readonly dueMillis: number
  /** The name of the durable pause that it is in, or one of `Pause`. */
  readonly pause: string | undefined
  /** Why it waits, as JSON: a failure, if its workflow has `SuspendOnFailure`, or a stored value that does not fit its process. */
  readonly cause: string | undefined
  /** When each of its pauses ends, by name. */
  readonly clocks: Readonly<Record<string, number>>
  /** Counts what may wake it: an `interrupt`, a `resume`, a signal, the end of an execution that it started. */
  readonly wakes: number
  /** Whether another execution waits for it, which did not start it. */
  readonly isAwaited: boolean
  /** The step that it tries, or tried last, after its process has died three times. */
  readonly step: string | undefined
  /** How often its process has died since the last result of a step. From the fourth on, only in its turn. */
  readonly deaths: number
  /** The id of the last resource that it created, such as a payout's reference. */
  readonly resource: string | undefined
  /**
   * The outcome of its writes, and of those of the executions that it has begun. Undefined before its end, and for a
   * body without blocks.
   */
  readonly outcome: Errors.Outcome | undefined
  readonly isCancelRequested: boolean
  /** How and when it ended. */
  readonly end: { readonly state: EndState; readonly atMillis: number } | undefined
  /** Its encoded `Exit`, as JSON, from its end until a purge. */
  readonly exit: string | undefined
  /** Whether its payload and its result were deleted after its end. */
  readonly isPurged: boolean
}

/**
 * The key of a payload, under which an operator finds its execution: the member `key`, if it is text. Without one, the key is the
 * id of the execution.
 *
 * @since 0.1.0
 * @category getters
 */
export const keyIn = (payload: unknown): string | undefined =>
  Predicate.hasProperty(payload, "key") && typeof payload.key === "string" ? payload.key : undefined

/**
 * The `executionId` of a workflow whose `idempotencyKey` is its key. Effect computes the same one on another thread.
 *
 * @since 0.1.0
 * @category getters
 */
export const idOf = (workflow: string, key: string): string =>
  Encoding.encodeHex(sha256(`${workflow}-${key}`)).slice(0, 32)

/** Personal data, and what only the engine needs. */
const hidden = [
  "payload",
  "exit",
  "parent",
  "runner",
  "clocks",
  "wakes",
  "cause",
  "isAwaited"
] as const

/**
 * An execution without its payload and its result, which may contain personal data.
 *
 * @since 0.1.0
 * @category models
 */
export interface Status extends Omit<Execution, (typeof hidden)[number]> {
  readonly state: typeof State.Type
}

/**
 * An execution without what may be personal data and what only the engine needs.
 *
 * @since 0.1.0
 * @category getters
 */
export const toStatus = (execution: Execution): Status => ({
  ...Struct.omit(execution, ...hidden),
  state: execution.end?.state ?? (execution.pause === undefined ? "Running" : "Waiting")
})

/**
 * The names of pauses that a body does not name.
 *
 * @since 0.1.0
 * @category constants
 */
export const Pause = {
  /** It waits for something else than time. */
  signal: "signal",
  /** It has failed, and its workflow has `SuspendOnFailure`: it waits for a `resume`. */
  failed: "failed",
  /** Its process has died again and again without the result of a step, ten times in its turn: it waits for a `resume`. */
  parked: "parked",
  /** The stored payload, a stored result, or the writes that an earlier body has begun do not fit this process. */
  unreadable: "a stored value does not fit its schema"
} as const

/**
 * The time at which an execution is due that waits for something else than time.
 *
 * @since 0.1.0
 * @category constants
 */
export const never = Number.MAX_SAFE_INTEGER

/**
 * The outcome of a write, or of an execution.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Outcome = Schema.Literal("notApplied", "applied", "unknown")

const named = {
  workflow: Schema.String,
  businessKey: Schema.String
}

/**
 * The business key already belongs to an execution with another payload. Nothing was started or sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class PayloadMismatch extends Schema.TaggedError<PayloadMismatch>(
  "@manilla/workflow-engine/PayloadMismatch"
)("PayloadMismatch", {
  ...named,
  /** The members that differ, such as `amount` or `payer.phone_number`, without their values. */
  differs: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `${this.workflow}: the business key ${this.businessKey} belongs to an execution whose payload differs in ${this.differs.join(", ")}. Nothing was sent. Correct the payload, or use another business key for another operation.`
  }
}

/**
 * The payload or the business key breaks a rule. Nothing was started or sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidPayload extends Schema.TaggedError<InvalidPayload>(
  "@manilla/workflow-engine/InvalidPayload"
)("InvalidPayload", {
  ...named,
  issues: Schema.Array(Errors.Issue)
}) {
  override get message(): string {
    return `${this.workflow}: nothing was started for ${JSON.stringify(this.businessKey)}: ${Issues.print(this.issues)}`
  }
}

/**
 * The stored payload of an execution that has not ended does not fit the schema of this process, because the
 * schema was changed under the same name. Nothing is changed or sent. The execution waits, and continues by
 * itself in a process with a schema that fits.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnreadablePayload extends Schema.TaggedError<UnreadablePayload>(
  "@manilla/workflow-engine/UnreadablePayload"
)("UnreadablePayload", {
  ...named,
  /** The members of the stored payload that break a rule of the schema, without their values. */
  issues: Schema.Array(Errors.Issue)
}) {
  override get message(): string {
    return `${this.workflow}: the stored payload of ${this.businessKey} does not fit the schema of this process: ${Issues.print(this.issues)}. The payload and the results of its steps stay as they are, and the execution waits. Run it with the schema that it was started with, and it continues; give the new schema a new name. Do not start it under another business key.`
  }
}

/**
 * No execution has this business key.
 *
 * @since 0.1.0
 * @category errors
 */
export class ExecutionNotFound extends Schema.TaggedError<ExecutionNotFound>(
  "@manilla/workflow-engine/ExecutionNotFound"
)("ExecutionNotFound", named) {
  override get message(): string {
    return `${this.workflow}: no execution has the business key ${this.businessKey}`
  }
}

/**
 * The store of executions failed, such as a database that is away, full or read-only. A change is stored as a
 * whole or not at all, and what was stored before stays. Try again with the same business key.
 *
 * @since 0.1.0
 * @category errors
 */
export class StorageError extends Schema.TaggedError<StorageError>(
  "@manilla/workflow-engine/StorageError"
)("StorageError", {
  /** The operation that failed, such as `store an execution`. */
  operation: Schema.String,
  /** Undefined if the operation is about several executions. */
  workflow: Schema.optional(Schema.String),
  businessKey: Schema.optional(Schema.String),
  cause: Schema.Defect
}) {
  override get message(): string {
    const subject =
      this.businessKey === undefined ? "" : ` of ${this.workflow} for ${this.businessKey}`
    return `the database could not ${this.operation}${subject} (${rootMessage(this.cause)}). What was stored before stays, and a change is stored as a whole or not at all: try again with the same business key.`
  }
}

/**
 * The execution ended because `interrupt` was called.
 *
 * @since 0.1.0
 * @category errors
 */
export class ExecutionCancelled extends Schema.TaggedError<ExecutionCancelled>(
  "@manilla/workflow-engine/ExecutionCancelled"
)("ExecutionCancelled", {
  ...named,
  /**
   * `notApplied`: nothing was created, and nothing will be. `applied`: a resource was created, and exists
   * unless a compensation undid it. `unknown`: the outcome of a request is unknown, and nothing was
   * compensated.
   */
  outcome: Outcome,
  /** The id or reference of the last resource that is known to be created. */
  resource: Schema.optional(Schema.String)
}) {
  override get message(): string {
    const cancelled = `${this.workflow}: ${this.businessKey} was cancelled`
    switch (this.outcome) {
      case "notApplied":
        return `${cancelled} before anything was created`
      case "applied":
        return `${cancelled} after ${this.resource ?? "a resource"} was created. Read its status from the service.`
      case "unknown":
        return `${cancelled}, and the outcome of a request is unknown. Look for its key at the service before you start again under another business key.`
    }
  }
}

/**
 * The execution has ended, and its payload and its result were purged. Its business key stays taken, so
 * that it does not move money again. Nothing was started or sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class ExecutionPurged extends Schema.TaggedError<ExecutionPurged>(
  "@manilla/workflow-engine/ExecutionPurged"
)("ExecutionPurged", { ...named, state: EndState, endedMillis: Schema.Number }) {
  override get message(): string {
    return `${this.workflow}: the execution of ${this.businessKey} ended as ${this.state} at ${new Date(this.endedMillis).toISOString()}, and its payload and result were purged. Read what it created from the service, or use another business key for another operation.`
  }
}

/**
 * The execution has not ended. Nothing was purged.
 *
 * @since 0.1.0
 * @category errors
 */
export class ExecutionNotEnded extends Schema.TaggedError<ExecutionNotEnded>(
  "@manilla/workflow-engine/ExecutionNotEnded"
)("ExecutionNotEnded", named) {
  override get message(): string {
    return `${this.workflow}: the execution of ${this.businessKey}, or the one that started it, has not ended, and nothing was purged. Wait for the end, or interrupt it, and purge then.`
  }
}

/**
 * The errors of a start. For `Workflow.execute`, which has no such errors, they are defects.
 *
 * @since 0.1.0
 * @category errors
 */
export type StartError =
  InvalidPayload | PayloadMismatch | UnreadablePayload | ExecutionPurged | StorageError
