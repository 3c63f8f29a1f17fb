import type * as Errors from "@manilla/core/Errors"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** A look that ended without a final status. If its last read failed, that is its error. */
export const notYet = ({ cause }: { readonly cause?: Errors.ReadError | undefined }) =>
  cause === undefined ? Effect.succeedNone : Effect.fail(cause)

/** The fields of the error of a wait that reached its deadline. */
export const stillPending = (
  operation: string,
  shownId: string,
  waited: Duration.Duration,
  cause: Option.Option<Errors.ReadError>
) => ({
  operation,
  message: `${operation}: ${shownId} is not final after ${Duration.format(waited)}. It continues at the service.`,
  cause: Option.getOrUndefined(cause)
})
