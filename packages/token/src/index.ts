/**
 * The gateway and its tokens in one layer. It requires only an `HttpClient`.
 *
 * @since 0.1.0
 */
export * as Manilla from "./Manilla.js"

/**
 * Bearer tokens from client credentials (interface section 5.1). All callers share one request; tokens
 * are renewed in the background before they expire, and dropped when the scope closes.
 *
 * @since 0.1.0
 */
export * as Token from "./Token.js"

/**
 * The wire format of the token operation (interface section 5.1). Its base URL is `{auth_url}`.
 *
 * @since 0.1.0
 */
export * as TokenApi from "./TokenApi.js"
