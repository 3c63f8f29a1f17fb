import type * as Errors from "@manilla/core/Errors"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Operation from "@manilla/core/Operation"
import type * as Polling from "@manilla/core/Polling"
import * as Body from "@manilla/workflow-engine/Body"
import { memoize } from "@manilla/workflow-engine/Encoding"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as blocks from "./blocks.js"
import { write } from "./write.js"

const schemasOf = memoize(
  <Id, C, CI>(id: Schema.Schema<Id, string>, resource: Schema.Schema<C, CI>) => ({
    Found: Schema.Struct({
      id,
      /** The id for errors and logs. If it contains the token of the call, that part is hidden. */
      shown: Schema.String,
      /** None if it could not be read as a whole. */
      resource: Schema.optional(resource)
    }),
    isId: Schema.is(id)
  })
)

/** The member of a payload that continues an earlier call. */
export const earlier = {
  /**
   * When a plain call with the same key was made that ended with `OutcomeUnknown`, in milliseconds since 1970. A refusal
   * then does not show that nothing was created.
   */
  sentMillis: Schema.optional(Schema.Finite)
}

/** Creates a resource that has a status, unless its id is known from before. */
export const create = <By extends "id" | "reference", C extends Polling.Resource<By>, CI>({
  by,
  call,
  id,
  key,
  known,
  operation,
  resource,
  sentMillis
}: {
  readonly operation: string
  readonly key: IdempotencyKey.IdempotencyKey
  readonly by: By
  readonly id: Schema.Schema<C[By], string>
  readonly resource: Schema.Schema<C, CI>
  readonly call: (
    options: { readonly key: IdempotencyKey.IdempotencyKey } & Operation.CallOptions
  ) => Effect.Effect<C, Errors.KeyedWriteError>
  /** See `Durable.write`. */
  readonly sentMillis?: number | undefined
  /** The id of a resource that exists already, such as of an item of a batch. */
  readonly known?: C[By] | undefined
}) => {
  const { Found, isId } = schemasOf(id, resource)
  if (known !== undefined) {
    // Nothing is sent. For an interrupt and for compensations, it counts as created by this execution.
    return Effect.map(blocks.current, ({ sideEffects }): typeof Found.Type => {
      Body.end(sideEffects, operation, { outcome: "applied", hasFailed: false, resource: known })
      return { id: known, shown: known }
    })
  }
  return write({
    operation,
    key,
    success: Found,
    idOf: ({ shown }) => shown,
    sentMillis,
    send: (key) => {
      let shown: string | undefined
      const onResponse = (response: Operation.ResponseInfo) => {
        shown = response[by]
      }
      return call({ key, onResponse }).pipe(
        Effect.map((resource) => ({ id: resource[by], shown: shown ?? resource[by], resource })),
        Effect.catchTag("AppliedUnreadable", (error) => {
          const found = error[by]
          return found !== undefined && isId(found)
            ? Effect.succeed({ id: found, shown: found })
            : Effect.fail(error)
        })
      )
    }
  })
}
