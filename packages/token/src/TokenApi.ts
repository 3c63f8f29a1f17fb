/**
 * The token operation as it is on the wire (interface section 5.1). Its root is `{auth_url}`.
 *
 * @since 0.1.0
 */
import * as Environment from "@manilla/core/Environment"
import * as Operation from "@manilla/core/Operation"
import * as Sensitive from "@manilla/core/Sensitive"
import * as Schema from "effect/Schema"

/**
 * @since 0.1.0
 * @category schemas
 */
export const Credentials = Schema.Struct({
  /** The public identifier of the application's credential. */
  client_id: Schema.String,
  client_secret: Schema.String.pipe(Sensitive.mark)
}).annotations({ identifier: "Credentials" })

/**
 * @since 0.1.0
 * @category schemas
 */
export const IssuedToken = Schema.Struct({
  access_token: Schema.String.pipe(
    Schema.pattern(/^[\x21-\x7e]+$/, { description: "a token of printable ASCII characters" })
  ),
  /** Seconds; 3600 unless set. */
  expires_in: Schema.optional(Schema.Finite.pipe(Schema.nonNegative())),
  token_type: Schema.optional(Schema.String),
  environment: Environment.Environment,
  /** The granted scopes, separated by spaces. */
  scope: Schema.optional(Schema.String)
}).annotations({ identifier: "IssuedToken" })

/**
 * `POST {auth_url}/auth/application/token`: obtains a token. It moves nothing, so it may be
 * repeated. Its error responses are not shown by the interface.
 *
 * @since 0.1.0
 * @category operations
 */
export const obtain = Operation.safe({
  method: "POST",
  path: "/auth/application/token",
  summary: "Obtain an access token",
  access: "credentials",
  payload: Credentials,
  success: IssuedToken
})

/**
 * @since 0.1.0
 * @category groups
 */
export const group = Operation.group("Token", { obtain })
