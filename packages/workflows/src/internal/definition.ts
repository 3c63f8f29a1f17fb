import * as Workflow from "@effect/workflow/Workflow"
import * as Errors from "@manilla/core/Errors"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Execution from "../Execution.js"
import type * as Policy from "../Policy.js"

/** How to wait for a resource that was created. */
export interface Wait<Resource, StillPending, R> {
  /** Reads the resource until its status is final, for the time of a look. */
  readonly look: (
    resource: Resource,
    policy: Policy.Look
  ) => Effect.Effect<Resource, Errors.ReadError | StillPending, R>
  /** The error of a wait that ends early. */
  readonly stillPending: (
    resource: Resource,
    message: string,
    cause: Errors.ReadError | undefined
  ) => StillPending
  readonly isFinal: (resource: Resource) => boolean
}

/** A workflow that creates one resource, and may wait for its final status. */
export interface Definition<Request, RequestI, Resource, ResourceI, Failure, FailureI, R> {
  /** With its version: `Manilla/CollectPayment/1`. */
  readonly name: string
  /** The service's key is derived from this and the business key. */
  readonly operation: string
  readonly request: Schema.Schema<Request, RequestI>
  readonly resource: Schema.Schema<Resource, ResourceI>
  /** The errors of the wait, besides those of the creation. */
  readonly stillPending: Schema.Schema<Failure, FailureI>
  readonly idOf: (resource: Resource) => string
  readonly create: (
    request: Request,
    key: IdempotencyKey.IdempotencyKey
  ) => Effect.Effect<Resource, Errors.KeyedWriteError, R>
  readonly wait?: Wait<Resource, Failure, R> | undefined
}

/** Why a creation failed, or was cancelled. */
export const CreationError = Schema.Union(
  ...Errors.KeyedWriteError.members,
  Execution.ExecutionCancelled
)

/** The engine's workflow of a definition. */
export const workflowOf = <Request, RequestI, Resource, ResourceI, Failure, FailureI, R>(
  definition: Definition<Request, RequestI, Resource, ResourceI, Failure, FailureI, R>
) =>
  Workflow.make({
    name: definition.name,
    payload: { businessKey: Schema.String, request: definition.request },
    success: definition.resource,
    error: Schema.Union(CreationError, definition.stillPending),
    idempotencyKey: ({ businessKey }) => businessKey
  })
