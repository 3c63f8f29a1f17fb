import * as Errors from "@manilla/core/Errors"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Operation from "@manilla/core/Operation"
import * as Polling from "@manilla/core/Polling"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Policy from "../Policy.js"
import * as runs from "./run.js"
import { once } from "./once.js"
import { stillPending } from "./stillPending.js"
import { pollUntil } from "./steps.js"
import { write } from "./write.js"

/** The error of a wait that reached its deadline. */
interface Expired<C> {
  readonly operation: string
  readonly message: string
  readonly last: C | undefined
  readonly cause: Errors.ReadError | undefined
}

interface Options<By extends "id" | "reference", C extends Polling.Resource<By>, CI, A, AI, F> {
  readonly operation: string
  readonly key: IdempotencyKey.IdempotencyKey
  readonly by: By
  /** See `Durable.Write`. */
  readonly sentMillis?: number | undefined
  /** The id of the resource, if it was created before. */
  readonly known?: C[By] | undefined
  readonly id: Schema.Schema<C[By], string>
  readonly created: Schema.Schema<C, CI>
  readonly success: Schema.Schema<A, AI>
  readonly create: (
    options: { readonly key: IdempotencyKey.IdempotencyKey } & Operation.CallOptions
  ) => Effect.Effect<C, Errors.KeyedWriteError>
  readonly look: (
    id: C[By],
    policy: Policy.Look
  ) => Effect.Effect<Option.Option<A>, Errors.ReadError>
  /** `shown` is the id without the secrets of the call. */
  readonly expired: (named: { readonly id: C[By]; readonly shown: string }, error: Expired<C>) => F
}

const schemasOf = once(
  <Id, C, CI>(id: Schema.Schema<Id, string>, created: Schema.Schema<C, CI>) => ({
    Created: Schema.Struct({
      id,
      shown: Schema.String,
      resource: Schema.optional(created)
    }),
    isId: Schema.is(id)
  })
)

/**
 * Creates a resource, and waits until its status is final. If the response to the creation has the id, but
 * cannot be read as a whole, the resource is read.
 */
export const createAndAwait = <
  By extends "id" | "reference",
  C extends Polling.Resource<By>,
  CI,
  A,
  AI,
  F
>({
  by,
  create,
  created,
  expired,
  id,
  key,
  known,
  look,
  operation,
  sentMillis,
  success
}: Options<By, C, CI, A, AI, F>) => {
  const { Created, isId } = schemasOf(id, created)

  const send = (key: IdempotencyKey.IdempotencyKey) => {
    let shown: string | undefined
    const onResponse = (response: Operation.ResponseInfo) => {
      shown = response[by]
    }
    return create({ key, onResponse }).pipe(
      Effect.map((resource) => ({ id: resource[by], shown: shown ?? resource[by], resource })),
      Effect.catchTag("AppliedUnreadable", (error) => {
        const found = error[by]
        return found !== undefined && isId(found)
          ? Effect.succeed({ id: found, shown: found })
          : Effect.fail(error)
      })
    )
  }

  const creation = write({
    operation,
    key,
    success: Created,
    idOf: ({ shown }) => shown,
    sentMillis,
    send
  })
  /** Its effect on an execution is that of a creation. */
  const found = (known: C[By]) =>
    Effect.map(runs.current, ({ money }): typeof Created.Type => {
      money.isApplied = true
      money.resource = known
      return { id: known, shown: known }
    })

  return Effect.gen(function* () {
    const { id, resource, shown } = yield* known === undefined ? creation : found(known)
    if (resource !== undefined && Polling.isFinal(resource)) return resource
    return yield* pollUntil({
      name: "final",
      success,
      failure: Errors.ReadError,
      look: (policy) => look(id, policy),
      expired: (waited: Duration.Duration, cause) =>
        expired(
          { id, shown },
          {
            operation,
            message: stillPending(operation, shown, waited),
            last: resource,
            cause: Option.getOrUndefined(cause)
          }
        )
    })
  })
}
