/** The operation of the account gateway: its credentials are settings, and its result is a secret. */
import * as Command from "@effect/cli/Command"
import * as TokenApi from "@manilla/token/TokenApi"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fields from "./fields.js"
import * as output from "./output.js"
import * as service from "./service.js"

const columns = fields
  .of(TokenApi.obtain.success)
  .map((field) => ({ ...field, isHidden: field.path[0] === "access_token" }))

export const about = `${TokenApi.obtain.summary}, which --reveal prints`

export const command = Command.make("obtain", { look: output.options }, ({ look }) =>
  Effect.gen(function* () {
    const { environment, scopes, value } = yield* service.token
    const access_token = Redacted.value(value)
    const data = { access_token, environment, scope: scopes.join(" ") }
    yield* output.resource(data, columns, look)
  }).pipe(Effect.provide(service.live))
).pipe(Command.withDescription(about))
