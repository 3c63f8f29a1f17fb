/** A command that sends a write: with its key, after a question if money is real. */
import * as Command from "@effect/cli/Command"
import * as Gateway from "@manilla/core/Gateway"
import * as Operation from "@manilla/core/Operation"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { type Failure, ofCall } from "./Failure.js"
import * as inputs from "./inputs.js"
import * as output from "./output.js"
import * as service from "./service.js"

type Look = Pick<output.Look, "json" | "reveal">

export interface Write {
  /** Such as `payouts create`. */
  readonly command: string
  readonly about: string
  readonly group: string
  readonly name: string
  readonly operation: Operation.Operation
  /** Members of the body that the command sets. */
  readonly fixed?: Readonly<Record<string, string>>
  /** What follows a success. `again` is the command that does the same under the same key. */
  readonly conclude: (
    data: unknown,
    look: Look,
    again: string
  ) => Effect.Effect<void, Failure, Gateway.Gateway>
}

export const commandOf = ({
  about,
  command,
  conclude,
  fixed = {},
  group,
  name,
  operation
}: Write) => {
  const own = inputs.of(operation).filter(({ field }) => !(field.path.join(".") in fixed))
  return Command.make(
    command.replace(/.* /, ""),
    { given: inputs.configOf(own), look: output.options, yes: service.yes },
    ({ given: { options: given }, look, yes }) =>
      Effect.gen(function* () {
        const gateway = yield* Gateway.Gateway
        const call = gateway.calls(Operation.group(group, { [name]: operation }))[name]
        yield* service.askIfLive(`${about}: ${inputs.summary(own, given)};`, yes)
        const again = inputs.commandLine(command, own, given, look.reveal)
        const request = {
          headers: inputs.partOf("headers", own, given),
          payload: { ...fixed, ...inputs.partOf("payload", own, given) }
        }
        yield* Effect.orDie(Effect.fromNullable(call)).pipe(
          Effect.flatMap((send) => Effect.mapError(send(request), ofCall(again))),
          Effect.flatMap((data) => conclude(data, look, again)),
          Effect.onInterrupt(() =>
            Console.error(`Stopped. It may exist. The same again:\n  ${again}`)
          )
        )
      }).pipe(Effect.provide(service.live))
  ).pipe(Command.withDescription(about))
}
