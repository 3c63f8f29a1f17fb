import type * as Workflow from "@effect/workflow/Workflow"
import * as Issues from "@manilla/core/Issues"
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Execution from "../../Execution.js"
import { once } from "../once.js"

const payloadOf = once(({ ast }: Workflow.AnyStructSchema) => {
  const payload = Schema.make<unknown, unknown>(ast)
  return {
    toJson: Schema.encodeSync(Schema.parseJson(payload)),
    fromJson: ParseResult.decodeUnknownEither(payload)
  }
})

/** Encodes the payload of a new execution. */
export const writePayload = ({ payloadSchema }: Workflow.Any, payload: unknown): string =>
  payloadOf(payloadSchema).toJson(payload)

/** Reads the stored payload of an execution. */
export const readPayload = (
  { payloadSchema }: Workflow.Any,
  { businessKey, payload, workflow }: Execution.Execution
): Either.Either<unknown, Execution.UnreadablePayload> =>
  Either.mapLeft(
    payloadOf(payloadSchema).fromJson(payload === "" ? undefined : JSON.parse(payload)),
    (issue) =>
      new Execution.UnreadablePayload({
        workflow,
        businessKey,
        issues: Issues.fromParseIssue(issue)
      })
  )

/** The key under which an operator finds an execution: the member `key` of its payload, or its id. */
export const keyOf = (payload: unknown, executionId: string): string =>
  Predicate.hasProperty(payload, "key") && typeof payload.key === "string"
    ? payload.key
    : executionId

/** The end of a step, as it is stored. */
export const exitCodec = once(
  <A, I, E, EI>(success: Schema.Schema<A, I>, failure: Schema.Schema<E, EI>) => {
    const exit = Schema.parseJson(Schema.Exit({ success, failure, defect: Schema.Defect }))
    return { toJson: Schema.encode(exit), fromJson: Schema.decode(exit) }
  }
)

/** The defect of a body that meets a stored result which its schema does not fit. */
export class UnreadableResult extends Data.TaggedError("UnreadableResult")<{
  readonly message: string
}> {}

export const isUnreadable = (defect: unknown): defect is UnreadableResult =>
  defect instanceof UnreadableResult

/** The end of an execution, as it is stored. */
export const endCodec = once(({ errorSchema, successSchema }: Workflow.Any) =>
  exitCodec(
    Schema.make<unknown, unknown>(successSchema.ast),
    Schema.make<unknown, unknown>(errorSchema.ast)
  )
)

/** The encoded result of an activity, as it is stored. */
export const stepCodec = exitCodec(Schema.Unknown, Schema.Unknown)
