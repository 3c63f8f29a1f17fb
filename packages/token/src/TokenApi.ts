/**
 * The token operation as it is on the wire (interface section 5.1). Its root is `{auth_url}`.
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Envelope from "@manilla/core/Envelope"
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
  client_secret: Schema.Redacted(Schema.String).pipe(Sensitive.mark)
}).annotations({ identifier: "Credentials" })

const AccessToken = Schema.String.pipe(
  Schema.pattern(/^[\x21-\x7e]+$/, { description: "a token of printable ASCII characters" })
)

/**
 * @since 0.1.0
 * @category schemas
 */
export const IssuedToken = Schema.Struct({
  access_token: Schema.Redacted(AccessToken),
  /** Seconds; 3600 by default. */
  expires_in: Schema.optionalWith(Schema.Finite.pipe(Schema.nonNegative()), {
    default: () => 3600
  }),
  token_type: Schema.optional(Schema.String),
  environment: Environment.Environment,
  /** The granted scopes, separated by spaces. */
  scope: Schema.optionalWith(Schema.String, { default: () => "" })
}).annotations({ identifier: "IssuedToken" })

/**
 * `POST {auth_url}/auth/application/token`: obtains a token. It moves nothing, so it may be
 * repeated. Its error responses are not shown by the interface.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const obtain = Operation.safe(
  HttpApiEndpoint.post("obtain", "/auth/application/token")
    .setPayload(Credentials)
    .addSuccess(Envelope.Success(IssuedToken))
    .annotate(OpenApi.Summary, "Obtain an access token"),
  "credentials"
)

/**
 * @since 0.1.0
 * @category groups
 */
export const group = HttpApiGroup.make("Token").add(obtain)
