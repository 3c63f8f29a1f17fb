import * as Duration from "effect/Duration"

/** The message of a wait that reached its deadline. */
export const stillPending = (operation: string, id: string, waited: Duration.Duration): string =>
  `${operation}: ${id} has no final status after ${Duration.format(waited)}. It continues at the service.`
