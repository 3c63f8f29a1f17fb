import * as Errors from "@manilla/core/Errors"
import * as Data from "effect/Data"

/**
 * The exit codes. `Done`: it is done. `Failed`: it is not, and nothing was applied. `Usage`: the arguments or the
 * settings are wrong. `Open`: it was applied, or may have been. Read the message before anything is sent again.
 */
export const exitCodes = { Done: 0, Failed: 1, Usage: 2, Open: 3 } as const

/** The message to a person when a command does not end well: one line with the remedy, and the next command. */
export class Failure extends Data.TaggedError("Failure")<{
  readonly code: number
  readonly message: string
}> {}

export const usage = (message: string) => new Failure({ code: exitCodes.Usage, message })

export const failed = (message: string) => new Failure({ code: exitCodes.Failed, message })

export const open = (message: string) => new Failure({ code: exitCodes.Open, message })

/** The errors of the clients, which say in their messages what happened and what to do. */
export type ClientError = Errors.ReadError | Errors.KeyedWriteError | Errors.WriteError

const outcomes: Readonly<Record<string, Errors.Outcome>> = Errors.outcomes

/** The failure of a call. One with the error of a read applies nothing. */
export const ofCall = ({ _tag, message }: ClientError): Failure =>
  (outcomes[_tag] ?? "notApplied") === "notApplied" ? failed(message) : open(message)
