/**
 * The gateway with its own tokens: the one layer that an application needs beside an HTTP client.
 *
 * @since 0.1.0
 */
export * as Manilla from "./Manilla.js"

/**
 * Client-credentials tokens as a scoped service: one request for all callers, renewal before expiry
 * while the old token still serves, forgotten when the scope closes (interface section 5.1).
 *
 * @since 0.1.0
 */
export * as Token from "./Token.js"

/**
 * The token operation as it is on the wire (interface section 5.1). Its root is `{auth_url}`.
 *
 * @since 0.1.0
 */
export * as TokenApi from "./TokenApi.js"
