/**
 * The control API of a running sandbox, below `/_sandbox` on the port of `{base_url}`: what the program
 * that made the sandbox can do, for any program and language. It is no part of the emulated service.
 *
 * @since 0.1.0
 */
export * as ControlApi from "./ControlApi.js"

/**
 * A typed client of the control API, for a sandbox in another process.
 *
 * @since 0.1.0
 */
export * as ControlClient from "./ControlClient.js"

/**
 * The OpenAPI 3.1 document of the control API, which the sandbox serves as `/_sandbox/openapi.json`.
 *
 * @since 0.1.0
 */
export * as ControlDocument from "./ControlDocument.js"

/**
 * The log of requests that reached the sandbox. An exchange records no token and no header except the
 * idempotency key. Its body is redacted when printed.
 *
 * @since 0.1.0
 */
export * as Exchange from "./Exchange.js"

/**
 * Scripted faults for the next requests, in the network or in the service.
 *
 * @since 0.1.0
 */
export * as Fault from "./Fault.js"

/**
 * The sandbox's ledger. Every movement of money is a journal entry whose debits equal its credits in
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
 * Outcomes on demand: a magic phone number or amount, the request header `X-Sandbox-Outcome`, or a fault rule
 * makes a request end in one of them.
 *
 * @since 0.1.0
 */
export * as Outcome from "./Outcome.js"

/**
 * The emulated service: its state, and controls over it. Run it in process with `SandboxClient` or on
 * sockets with `SandboxServer`.
 *
 * @since 0.1.0
 */
export * as Sandbox from "./Sandbox.js"

/**
 * The sandbox in process: an `HttpClient` whose requests never leave the program. It uses the caller's
 * `Clock`, so a `TestClock` controls its time.
 *
 * @since 0.1.0
 */
export * as SandboxClient from "./SandboxClient.js"

/**
 * A gateway to the sandbox that uses the sandbox's credentials, for tests.
 *
 * @since 0.1.0
 */
export * as SandboxGateway from "./SandboxGateway.js"

/**
 * The sandbox on local sockets: one port for `{base_url}`, one for `{auth_url}`.
 *
 * @since 0.1.0
 */
export * as SandboxServer from "./SandboxServer.js"

/**
 * All operations that the packages declare, for the main gateway and the account gateway (interface
 * section 4).
 *
 * @since 0.1.0
 */
export * as ServiceApi from "./ServiceApi.js"
