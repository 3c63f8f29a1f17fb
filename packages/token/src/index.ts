/**
 * Client-credentials tokens as a scoped service: one request however many callers, renewed ahead of
 * expiry while the old token still serves, gone with its scope (interface section 5.1).
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
