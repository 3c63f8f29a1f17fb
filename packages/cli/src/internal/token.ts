/** The operation of the account gateway: its credentials are settings, and its result is a secret. */
import * as Command from "@effect/cli/Command"
import * as Gateway from "@manilla/core/Gateway"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Token from "@manilla/token/Token"
import * as TokenApi from "@manilla/token/TokenApi"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { ofCall } from "./Failure.js"
import * as fields from "./fields.js"
import * as output from "./output.js"
import * as service from "./service.js"

const columns = fields
  .of(TokenApi.obtain.success)
  .map((field) => ({ ...field, isHidden: field.path[0] === "access_token" }))

export const about = `${TokenApi.obtain.summary}, which --reveal prints`

export const obtain = Command.make("obtain", { look: output.options }, ({ look }) =>
  Effect.gen(function* () {
    const { authUrl, clientId, clientSecret } = yield* Token.config
    const gateway = yield* Gateway.make({ baseUrl: authUrl })
    const { obtain } = gateway.calls(TokenApi.group)
    const payload = { client_id: clientId, client_secret: Redacted.value(clientSecret) }
    yield* output.resource(yield* Effect.mapError(obtain({ payload }), ofCall()), columns, look)
  }).pipe(
    Effect.provide(UndiciClient.layer),
    Effect.mapError((error) => (error._tag === "Failure" ? error : service.settingFailure(error)))
  )
).pipe(Command.withDescription(about))
