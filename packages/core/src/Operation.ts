/**
 * What Manilla says about an endpoint beyond its wire form: the scope it needs, and how it may be
 * repeated. The client, the sandbox and the documents all read it from here.
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type * as Types from "effect/Types"
import type * as Errors from "./Errors.js"

/**
 * @since 0.1.0
 * @category symbols
 */
export const TypeId: unique symbol = Symbol.for("@manilla/core/Operation")

/**
 * @since 0.1.0
 * @category symbols
 */
export type TypeId = typeof TypeId

/**
 * How an operation may be repeated.
 *
 * | class   | meaning                                                                     |
 * | ------- | --------------------------------------------------------------------------- |
 * | `Safe`  | moves nothing; repeat at will                                               |
 * | `Keyed` | moves money once per key; repeat with the same key and the same bytes       |
 * | `Once`  | has no key; never send again once the service may have processed it         |
 *
 * @since 0.1.0
 * @category models
 */
export type Replay = Safe | Keyed | Once

/**
 * @since 0.1.0
 * @category models
 */
export interface Safe {
  readonly _tag: "Safe"
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Keyed {
  readonly _tag: "Keyed"
  /** The part of the request that carries the key. */
  readonly in: "header" | "body"
  /** The header, in lower case, or the field of the body. */
  readonly name: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Once {
  readonly _tag: "Once"
}

/**
 * The scopes of interface section 5.2.
 *
 * @since 0.1.0
 * @category models
 */
export type Scope =
  | "payments.read"
  | "payments.write"
  | "transactions.read"
  | "withdrawals.read"
  | "withdrawals.write"
  | "refunds.read"
  | "refunds.write"
  | "payment_links.read"
  | "payment_links.write"
  | "virtual_cards.users.read"
  | "virtual_cards.users.write"
  | "virtual_cards.cards.read"
  | "virtual_cards.cards.sensitive.read"
  | "virtual_cards.cards.write"
  | "virtual_cards.cards.manage"

/**
 * Who may call an operation.
 *
 * | access         | meaning                                                          |
 * | -------------- | ---------------------------------------------------------------- |
 * | a scope        | a bearer token that has the scope                                |
 * | `"bearer"`     | a bearer token; the interface does not show which scope it needs |
 * | `"credentials"`| no token: the credentials are in the body (interface section 4)  |
 *
 * @since 0.1.0
 * @category models
 */
export type Access = Scope | "bearer" | "credentials"

/**
 * Where the answer to a write says what it made, and which members of the request's body it repeats.
 * An answer that repeats other values is about another operation: nothing is known of this one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Made {
  /** The member of `data` that is the resource; `data` itself unless set. */
  readonly in?: string
  readonly echoes: ReadonlyArray<Echo>
}

/**
 * A member of the body that the answer repeats.
 *
 * | as       | the same when                                                    |
 * | -------- | ---------------------------------------------------------------- |
 * | `amount` | the value is: `"1500"` comes back as `"1500.0000"`               |
 * | `code`   | the letters are, in any case: currencies, kinds, UUIDs           |
 * | `phone`  | the last 8 digits are; what is shorter or masked says nothing    |
 * | `text`   | every character is: keys                                         |
 *
 * @since 0.1.0
 * @category models
 */
export interface Echo {
  readonly field: string
  /** The member of the resource; of the same name unless set. */
  readonly member?: string
  readonly as: "amount" | "code" | "phone" | "text"
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Declaration<out R extends Replay = Replay> {
  readonly access: Access
  readonly replay: R
  readonly made: Made
}

/**
 * An endpoint that has been declared, as the code that derives from it sees it: all that Manilla
 * knows of an operation starts here.
 *
 * @since 0.1.0
 * @category models
 */
export interface Operation extends Declared<Replay> {
  readonly name: string
  readonly method: HttpMethod
  readonly path: string
  readonly pathSchema: Option.Option<Schema.Schema.AnyNoContext>
  readonly urlParamsSchema: Option.Option<Schema.Schema.AnyNoContext>
  readonly headersSchema: Option.Option<Schema.Schema.AnyNoContext>
  readonly payloadSchema: Option.Option<Schema.Schema.AnyNoContext>
  readonly successSchema: Schema.Schema.AnyNoContext
  readonly errorSchema: Schema.Schema.All
  readonly annotations: Context.Context<never>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Declared<out R extends Replay> {
  readonly [TypeId]: Declaration<R>
}

/**
 * @since 0.1.0
 * @category guards
 */
export const isOperation = (value: unknown): value is Operation =>
  HttpApiEndpoint.isHttpApiEndpoint(value) && Predicate.hasProperty(value, TypeId)

const nothingEchoed: Made = { echoes: [] }

const declare = <Endpoint extends HttpApiEndpoint.HttpApiEndpoint.Any, R extends Replay>(
  endpoint: Endpoint,
  declaration: Declaration<R>
): Endpoint & Declared<R> => Object.assign(endpoint, { [TypeId]: declaration })

/**
 * Declares an operation that moves nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const safe = <Endpoint extends HttpApiEndpoint.HttpApiEndpoint.Any>(
  endpoint: Endpoint,
  access: Access
): Endpoint & Declared<Safe> =>
  declare(endpoint, { access, replay: { _tag: "Safe" }, made: nothingEchoed })

/**
 * Declares an operation that carries an idempotency key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const keyed = <Endpoint extends HttpApiEndpoint.HttpApiEndpoint.Any>(
  endpoint: Endpoint,
  access: Access,
  key: { readonly in: "header" | "body"; readonly name: string },
  made: Made = nothingEchoed
): Endpoint & Declared<Keyed> =>
  declare(endpoint, { access, replay: { _tag: "Keyed", ...key }, made })

/**
 * Declares an operation that writes and has no key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const once = <Endpoint extends HttpApiEndpoint.HttpApiEndpoint.Any>(
  endpoint: Endpoint,
  access: Access,
  made: Made = nothingEchoed
): Endpoint & Declared<Once> => declare(endpoint, { access, replay: { _tag: "Once" }, made })

/**
 * The parts of a request, by the schemas of its endpoint.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Request<Endpoint extends HttpApiEndpoint.HttpApiEndpoint.Any> = Types.Simplify<
  Omit<HttpApiEndpoint.HttpApiEndpoint.Request<Endpoint>, "request"> & Undeclared<Endpoint>
>

/** Where there are query parameters, there may be some that the interface does not show. */
type Undeclared<Endpoint extends HttpApiEndpoint.HttpApiEndpoint.Any> = [
  HttpApiEndpoint.HttpApiEndpoint.UrlParams<Endpoint>
] extends [never]
  ? unknown
  : { readonly extraParams?: Readonly<Record<string, string>> | undefined }

/**
 * The errors of a call: a read's, or those of a write with a key or without one.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Error<Endpoint> =
  Endpoint extends Declared<Safe>
    ? Errors.ReadError
    : Endpoint extends Declared<Keyed>
      ? Errors.KeyedWriteError
      : Errors.WriteError

/**
 * An operation as a function: the request in, the decoded envelope out.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Call<Endpoint extends HttpApiEndpoint.HttpApiEndpoint.Any> = (
  request: Request<Endpoint>
) => Effect.Effect<HttpApiEndpoint.HttpApiEndpoint.Success<Endpoint>, Error<Endpoint>>
