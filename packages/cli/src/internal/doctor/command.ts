/** `manilla doctor`: checks the settings, the way to the service and what its credentials allow. */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as output from "../output.js"

export const about = "Check settings, network, credentials, scopes and catalogue"

export const command = Command.make("doctor", { json: output.options.json }, ({ json }) =>
  Effect.flatMap(
    Effect.promise(() => import("./doctor.js")),
    ({ doctor }) => doctor(json)
  )
).pipe(Command.withDescription(about))
