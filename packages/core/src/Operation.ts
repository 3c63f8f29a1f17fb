/**
 * Operations as plain data: method, path, schemas, scope, replay class and response checks. The
 * client, the sandbox, the OpenAPI document and the documentation tables are derived from them.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Types from "effect/Types"
import type * as Errors from "./Errors.js"
import type * as RetryPolicy from "./RetryPolicy.js"

/**
 * A permission of a token. A call whose token lacks the required scope fails with
 * `ForbiddenError`.
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
 * The authorization that an operation requires.
 *
 * | access         | meaning                                                          |
 * | -------------- | ---------------------------------------------------------------- |
 * | a scope        | a bearer token with this scope                                   |
 * | `"bearer"`     | a bearer token; the interface does not state its scope           |
 * | `"credentials"`| no token: the credentials are in the body                        |
 *
 * @since 0.1.0
 * @category models
 */
export type Access = Scope | "bearer" | "credentials"

/**
 * Compares a field of the request body with a field of the response.
 *
 * | as       | comparison                                                       |
 * | -------- | ---------------------------------------------------------------- |
 * | `amount` | by value: `"1500"` equals `"1500.0000"`                          |
 * | `code`   | case-insensitive, for currencies                                 |
 * | `kind`   | exact, for operation kinds; other names are not compared         |
 * | `phone`  | the last 8 digits; shorter and masked numbers are not compared   |
 * | `text`   | exact, for keys                                                  |
 *
 * @since 0.1.0
 * @category models
 */
export interface ResponseCheck<out Field extends string = string> {
  readonly field: Field
  /** The field of the resource; the same name as `field` by default. */
  readonly member?: string
  readonly as: "amount" | "code" | "kind" | "phone" | "text"
}

/**
 * Checks that the response to a write belongs to this request. A response with other values belongs to
 * another request and leaves the outcome unknown.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResponseChecks<
  out Field extends string = string,
  out Required extends Field = Field
> {
  /** The field of `data` that contains the resource; `data` itself by default. */
  readonly in?: string
  /** The first one is of a field that every request has: where a field is absent, nothing is compared. */
  readonly members:
    readonly [] | readonly [ResponseCheck<Required>, ...ReadonlyArray<ResponseCheck<Field>>]
}

/**
 * A declared operation. Its schemas must not transform: every value has the same form in the program
 * and on the wire.
 *
 * @since 0.1.0
 * @category models
 */
export interface Operation extends Wire {
  readonly replay: RetryPolicy.Replay
  readonly checks?: ResponseChecks
}

/**
 * The wire format of an operation.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wire {
  readonly method: "GET" | "POST"
  /** The path below the gateway's base URL, with parameters as `:name`. */
  readonly path: `/${string}`
  /** A one-line summary for the documentation. */
  readonly summary: string
  readonly access: Access
  readonly pathParams?: Schema.Schema.AnyNoContext
  readonly urlParams?: Schema.Schema.AnyNoContext
  readonly headers?: Schema.Schema.AnyNoContext
  readonly payload?: Schema.Schema.AnyNoContext
  /** The `data` of a success response. */
  readonly success: Schema.Schema.AnyNoContext
  /** The success status, if the interface states it. The client accepts any 2xx. */
  readonly status?: number
  /** The error statuses that the interface lists. */
  readonly errors?: ReadonlyArray<number>
}

/**
 * A named group of operations. Errors and spans name an operation by both: `Payments.create`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Group<
  out Name extends string = string,
  out Operations extends Readonly<Record<string, Operation>> = Readonly<Record<string, Operation>>
> {
  readonly name: Name
  readonly operations: Operations
}

/** The names of the string fields of a part of the request; with `Absent` never, of those that each request has. */
type TextFields<Part, Absent = null | undefined> = Part extends Schema.Schema.AnyNoContext
  ? {
      [Name in keyof Part["Type"]]-?: Part["Type"][Name] extends string | Absent
        ? Name & string
        : never
    }[keyof Part["Type"]]
  : never

type Checks<D extends Wire> = ResponseChecks<
  TextFields<D["payload"]>,
  TextFields<D["payload"], never>
>

/** The location of the key: a header or a body field in the operation's schemas. */
type KeyPlace<D extends Wire> =
  | { readonly header: TextFields<D["headers"]>; readonly body?: never }
  | { readonly body: TextFields<D["payload"]>; readonly header?: never }

/**
 * Declares an operation without effect, which is always safe to retry.
 *
 * @since 0.1.0
 * @category constructors
 */
export const safe = <const D extends Wire>(
  declaration: D
): D & { readonly replay: RetryPolicy.Safe } => ({
  ...declaration,
  replay: { _tag: "Safe" }
})

/**
 * Declares a write with an idempotency key, in a header or a field of the body.
 *
 * @example
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 * import * as Operation from "@manilla/core/Operation"
 * import * as Schema from "effect/Schema"
 *
 * const create = Operation.keyed({
 *   method: "POST",
 *   path: "/orders",
 *   summary: "Create an order",
 *   access: "bearer",
 *   headers: Schema.Struct({ "idempotency-key": IdempotencyKey.IdempotencyKey }),
 *   payload: Schema.Struct({ amount: Schema.String }),
 *   success: Schema.Struct({ id: Schema.String, amount: Schema.String }),
 *   key: { header: "idempotency-key" },
 *   checks: { members: [{ field: "amount", as: "amount" }] }
 * })
 *
 * @since 0.1.0
 * @category constructors
 */
export const keyed = <const D extends Wire>(
  declaration: D & {
    readonly key: KeyPlace<D>
    readonly checks: Checks<D>
  }
): D & { readonly replay: RetryPolicy.Keyed; readonly checks: ResponseChecks } => {
  const { header, body }: { readonly header?: string; readonly body?: string } = declaration.key
  return {
    ...declaration,
    replay: {
      _tag: "Keyed",
      in: header === undefined ? "body" : "header",
      name: header ?? body ?? ""
    }
  }
}

/**
 * Declares a write without an idempotency key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const once = <const D extends Wire>(
  declaration: D & { readonly checks: Checks<D> }
): D & { readonly replay: RetryPolicy.Once; readonly checks: ResponseChecks } => ({
  ...declaration,
  replay: { _tag: "Once" }
})

/**
 * Declares a group of operations.
 *
 * @since 0.1.0
 * @category constructors
 */
export const group = <
  const Name extends string,
  const Operations extends Readonly<Record<string, Operation>>
>(
  name: Name,
  operations: Operations
): Group<Name, Operations> => ({ name, operations })

/** One part of a request, if the operation has it. */
type Part<Name extends string, S> = S extends Schema.Schema.AnyNoContext
  ? { readonly [_ in Name]: S["Type"] }
  : unknown

/**
 * The parts of a request, by the schemas of its operation. An operation with query parameters also
 * takes `extraParams`, for parameters that the interface does not define.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Request<O extends Wire> = Types.Simplify<
  Part<"path", O["pathParams"]> &
    Part<"urlParams", O["urlParams"]> &
    Part<"headers", O["headers"]> &
    Part<"payload", O["payload"]> &
    (O["urlParams"] extends Schema.Schema.AnyNoContext
      ? { readonly extraParams?: Readonly<Record<string, string>> | undefined }
      : unknown)
>

/**
 * The errors of a call: those of a read, of a write with a key, or of a write without a key.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Error<O extends Operation> = O["replay"] extends RetryPolicy.Safe
  ? Errors.ReadError
  : O["replay"] extends RetryPolicy.Keyed
    ? Errors.KeyedWriteError
    : Errors.WriteError

/**
 * Options of one call.
 *
 * @since 0.1.0
 * @category models
 */
export interface CallOptions {
  /** The maximum duration of the call with its retries; by default the `deadline` of the retry policy. */
  readonly timeout?: Duration.DurationInput | undefined
  /** Overrides the gateway's retry policy for this call, except its `budget` and `deadline`. */
  readonly retry?: Partial<Omit<RetryPolicy.RetryPolicy, "budget" | "deadline">> | undefined
  /**
   * Runs synchronously when the call succeeds, for example to record the correlation id. If it throws, a
   * warning is logged, and the call succeeds. Its type refuses functions that return a promise or an
   * effect, because nothing would wait for them.
   */
  readonly onResponse?: ((response: ResponseInfo) => void | undefined) | undefined
}

/**
 * The metadata of a success response.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResponseInfo {
  readonly status: number
  /** `meta.correlation_id`, if the response has one. */
  readonly correlationId: string | undefined
  /** The number of attempts. */
  readonly attempts: number
  /** The id of the resource, if the response has one. */
  readonly id: string | undefined
  /** The reference of the resource, if the response has one. */
  readonly reference: string | undefined
}

/**
 * An operation as a function from its request to the `data` of the response.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Call<O extends Operation> = (
  request: Request<O>,
  options?: CallOptions
) => Effect.Effect<O["success"]["Type"], Error<O>>
