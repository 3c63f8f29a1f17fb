import * as Workflow from "@effect/workflow/Workflow"
import type * as Errors from "@manilla/core/Errors"
import * as Issues from "@manilla/core/Issues"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { endCodec, exitCodec, json, memoize, mostBytes, tooLarge } from "../Encoding.js"
import * as Execution from "../Execution.js"
import { Storable } from "../Text.js"

const payloadOf = memoize(({ ast }: Workflow.AnyStructSchema) => {
  const payload = json(Schema.make<unknown, unknown>(ast))
  return {
    toJson: ParseResult.encodeEither(payload),
    fromJson: ParseResult.decodeEither(payload)
  }
})

/** Encodes the payload of a new execution, which a later run can read. */
export const writePayload = ({ payloadSchema }: Workflow.Any, payload: unknown) => {
  const { fromJson, toJson } = payloadOf(payloadSchema)
  return toJson(payload).pipe(
    Either.flatMap((json) => Either.map(fromJson(json), () => json)),
    Either.mapLeft((issue) => Issues.fromParseIssue(issue)),
    Either.filterOrLeft(
      (json) => tooLarge(json, mostBytes) === undefined,
      () => [{ field: "payload", rule: `must have at most ${mostBytes} bytes as JSON` }]
    )
  )
}

/** Reads the stored payload of an execution. */
export const readPayload = (
  { payloadSchema }: Workflow.Any,
  { businessKey, payload, workflow }: Execution.Execution
): Either.Either<unknown, Execution.UnreadablePayload> =>
  Either.mapLeft(payloadOf(payloadSchema).fromJson(payload), (issue) => {
    const issues = Issues.fromParseIssue(issue)
    return new Execution.UnreadablePayload({ workflow, businessKey, issues })
  })

const issuesOfKey = Issues.validator(Storable, ["key"])

const issuesOfName = memoize(({ name }: Workflow.Any) =>
  Issues.validator(Storable, ["workflow"])(name)
)

/** The rules that the name and the key of a new execution break. Two executions with one key could not be told apart. */
export const issuesOf = (
  workflow: Workflow.Any,
  executionId: string,
  businessKey: string
): ReadonlyArray<Errors.Issue> => {
  const issues = issuesOfName(workflow).concat(issuesOfKey(businessKey))
  const isFound = issues.length > 0 || businessKey === executionId
  if (isFound || Execution.idOf(workflow.name, businessKey) === executionId) return issues
  const rule =
    "must be what `idempotencyKey` of the workflow returns, because operators find an execution by it"
  return [{ field: "key", rule }]
}

/** Fails if the payload and the result were deleted. */
export const unlessPurged = (execution: Execution.Execution) => {
  const { businessKey, end, isPurged, workflow } = execution
  return isPurged && end !== undefined
    ? new Execution.ExecutionPurged({
        workflow,
        businessKey,
        state: end.state,
        endedMillis: end.atMillis
      })
    : Effect.succeed(execution)
}

/** Reads the end of an execution that has ended. */
export const readEnd = (workflow: Workflow.Any, ended: Execution.Execution) =>
  Effect.flatMap(unlessPurged(ended), ({ exit = "" }) =>
    Effect.orDie(endCodec(workflow).fromJson(exit))
  )

/** The end of an activity or an execution at which an interrupt ends the body. */
export const cancelled = (error: Execution.ExecutionCancelled) =>
  Effect.succeed(new Workflow.Complete({ exit: Exit.die(error) }))

const causeJson = json(Schema.Cause({ error: Schema.Never, defect: Schema.Defect }))

/** Encodes the failure after which a body waits. */
export const writeCause = (cause: Cause.Cause<unknown>): Effect.Effect<string> =>
  Effect.orDie(Schema.encode(causeJson)(Cause.die(Cause.squash(cause)))).pipe(
    Effect.filterOrElse(
      (json) => tooLarge(json, mostBytes) === undefined,
      () => writeCause(Cause.die(new Error("the failure is too large to be stored")))
    )
  )

/** Reads the failure after which an execution waits. */
export const readCause = ({ cause }: Execution.Execution) =>
  cause === undefined ? Effect.succeed(undefined) : Effect.orDie(Schema.decode(causeJson)(cause))

/** A signal, whose values Effect has encoded, or a mark, which has none. */
export const stepCodec = exitCodec(Schema.Unknown, Schema.Unknown)
