import type * as Errors from "@manilla/core/Errors"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/** The error of a wait that reached its deadline. `id` is without the secrets of the call. */
export const stillPending = (
  operation: string,
  id: string,
  waited: Duration.Duration,
  cause: Option.Option<Errors.ReadError>
) => ({
  operation,
  message: `${operation}: ${id} is not final after ${Duration.format(waited)}. It continues at the service.`,
  cause: Option.getOrUndefined(cause)
})
