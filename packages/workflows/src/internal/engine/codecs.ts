import type * as Workflow from "@effect/workflow/Workflow"
import * as Issues from "@manilla/core/Issues"
import * as Either from "effect/Either"
import type * as Exit from "effect/Exit"
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

/** The end of an execution, as it is stored. */
export const endCodec = once(({ errorSchema, successSchema }: Workflow.Any) =>
  exitCodec(
    Schema.make<unknown, unknown>(successSchema.ast),
    Schema.make<unknown, unknown>(errorSchema.ast)
  )
)

const step = Schema.parseJson(
  Schema.Exit({ success: Schema.Unknown, failure: Schema.Unknown, defect: Schema.Defect })
)

/** The encoded result of a step, as it is stored. */
export const stepCodec: {
  readonly toJson: (exit: Exit.Exit<unknown, unknown>) => ReturnType<typeof encodeStep>
  readonly fromJson: (json: string) => ReturnType<typeof decodeStep>
} = { toJson: (exit) => encodeStep(exit), fromJson: (json) => decodeStep(json) }
const encodeStep = Schema.encode(step)
const decodeStep = Schema.decode(step)
