/** `manilla probe`: learns from a sandbox of the service what its interface leaves unsaid. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as service from "../service.js"

export const about = "Learn from a sandbox what the interface leaves unsaid: profile.json"

const options = {
  phone: Options.withDescription(
    Options.text("phone"),
    "a phone number for tests, which the service's sandbox accepts as a payer"
  ),
  out: Options.text("out").pipe(
    Options.withDescription("the file of the profile"),
    Options.withDefault("profile.json")
  ),
  yes: service.yes
}

export type Given = Command.Command.ParseConfig<typeof options>

export const command = Command.make("probe", options, (given) =>
  Effect.flatMap(
    Effect.promise(() => import("./probe.js")),
    ({ probe }) => probe(given)
  )
).pipe(Command.withDescription(about))
