/**
 * What passed between a caller and the sandbox. An exchange knows no token, no header but the key,
 * and keeps the body where no print shows it.
 *
 * @since 0.1.0
 */
export * as Exchange from "./Exchange.js"

/**
 * Faults to script: what is to go wrong with the next requests, between the service and its caller
 * or in the service itself.
 *
 * @since 0.1.0
 */
export * as Fault from "./Fault.js"

/**
 * The sandbox's books: every movement of money as an entry of debits and credits that are equal in
 * each currency.
 *
 * @since 0.1.0
 */
export * as Ledger from "./Ledger.js"

/**
 * The OpenAPI 3.1 document of every declared operation. `docs/openapi.json` is written from it, and
 * the sandbox serves it as `/openapi.json`.
 *
 * @since 0.1.0
 */
export * as OpenApiDocument from "./OpenApiDocument.js"

/**
 * The service, emulated: what a test or a person at a terminal can see of it and do to it. Run it
 * with `SandboxClient` in process or with `SandboxServer` on sockets.
 *
 * @since 0.1.0
 */
export * as Sandbox from "./Sandbox.js"

/**
 * The sandbox in process: an `HttpClient` whose requests never leave the program. Time is the
 * caller's `Clock`, so a test moves it.
 *
 * @since 0.1.0
 */
export * as SandboxClient from "./SandboxClient.js"

/**
 * A gateway to the sandbox, with tokens for the sandbox's own credentials: what a test puts below
 * the clients it tries.
 *
 * @since 0.1.0
 */
export * as SandboxGateway from "./SandboxGateway.js"

/**
 * The sandbox on sockets of this machine: one port for `{base_url}`, one for `{auth_url}`.
 *
 * @since 0.1.0
 */
export * as SandboxServer from "./SandboxServer.js"

/**
 * The whole service as the packages declare it: the main gateway and the account gateway
 * (interface section 4).
 *
 * @since 0.1.0
 */
export * as ServiceApi from "./ServiceApi.js"
