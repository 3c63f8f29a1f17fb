/**
 * The wire format of the token operation. Its base URL is `{auth_url}`.
 *
 * @since 0.1.0
 */
import * as Environment from "@manilla/core/Environment"
import * as Operation from "@manilla/core/Operation"
import * as Sensitive from "@manilla/core/Sensitive"
import * as Schema from "effect/Schema"

/**
 * The body of the token request.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Credentials = Schema.Struct({
  /** The public identifier of the application's credential. */
  client_id: Schema.String,
  client_secret: Schema.String.pipe(Sensitive.mark)
}).annotations({
  identifier: "Credentials",
  examples: [{ client_id: "app_sandbox_development", client_secret: "a secret" }]
})

/**
 * The data of the token response.
 *
 * @since 0.1.0
 * @category schemas
 */
export const IssuedToken = Schema.Struct({
  access_token: Schema.String.pipe(
    Schema.pattern(/^[\x21-\x7e]+$/, { description: "a token of printable ASCII characters" })
  ),
  /** The lifetime in seconds; 3600 by default. */
  expires_in: Schema.optional(Schema.Finite.pipe(Schema.nonNegative())),
  token_type: Schema.optional(Schema.String),
  environment: Environment.Environment,
  /** The granted scopes, separated by spaces. */
  scope: Schema.optional(Schema.String)
}).annotations({ identifier: "IssuedToken" })

/**
 * `POST {auth_url}/auth/application/token`: obtains a token. Safe to retry. The interface does not
 * define its error responses.
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
 * The type of {@link group}.
 *
 * @since 0.1.0
 * @category groups
 */
export interface TokenGroup extends Operation.Group<
  "Token",
  {
    readonly obtain: typeof obtain
  }
> {}

/**
 * The token operation.
 *
 * @since 0.1.0
 * @category groups
 */
export const group: TokenGroup = Operation.group("Token", { obtain })
