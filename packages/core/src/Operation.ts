/**
 * Operations as plain data: method, path, schemas, scope, replay class and response checks. The
 * client, the sandbox, the OpenAPI document and the tables of the documentation all read them here.
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
 * Compares a field of the request's body with a member of the answer.
 *
 * | as       | the same when                                                    |
 * | -------- | ---------------------------------------------------------------- |
 * | `amount` | the value is: `"1500"` comes back as `"1500.0000"`               |
 * | `code`   | the letters are, in any case: currencies                         |
 * | `phone`  | the last 8 digits are; a shorter or masked number says nothing   |
 * | `text`   | every character is: keys                                         |
 *
 * @since 0.1.0
 * @category models
 */
export interface ResponseCheck<out Field extends string = string> {
  readonly field: Field
  /** The member of the resource; of the same name unless set. */
  readonly member?: string
  readonly as: "amount" | "code" | "phone" | "text"
}

/**
 * How the answer to a write is recognised as the answer to this request. An answer that repeats other
 * values belongs to another request, and says nothing of this one.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResponseChecks<out Field extends string = string> {
  /** The member of `data` that is the resource; `data` itself unless set. */
  readonly in?: string
  readonly members: ReadonlyArray<ResponseCheck<Field>>
}

/**
 * A declared operation, as the code that derives from it sees it. Its schemas convert nothing: every
 * value has on the wire the form that it has in the program.
 *
 * @since 0.1.0
 * @category models
 */
export interface Operation extends Wire {
  readonly replay: Replay
  readonly checks?: ResponseChecks
}

/**
 * An operation as it is on the wire.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wire {
  readonly method: "GET" | "POST"
  /** Below the root of the gateway, with parameters as `:name`. */
  readonly path: `/${string}`
  /** One line for the documentation. */
  readonly summary: string
  readonly access: Access
  readonly pathParams?: Schema.Schema.AnyNoContext
  readonly urlParams?: Schema.Schema.AnyNoContext
  readonly headers?: Schema.Schema.AnyNoContext
  readonly payload?: Schema.Schema.AnyNoContext
  /** The `data` of a successful answer. */
  readonly success: Schema.Schema.AnyNoContext
  /** The status of a success, where the interface shows it. Any 2xx is a success. */
  readonly status?: number
  /** The error statuses that the interface promises. */
  readonly errors?: ReadonlyArray<number>
}

/**
 * The operations of one part of the service. An operation is called by both names: `Payments.create`.
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

/** The names of the text members of a part of the request. */
type TextFields<Part> = Part extends Schema.Schema.AnyNoContext
  ? {
      [Name in keyof Part["Type"]]-?: Part["Type"][Name] extends string | null | undefined
        ? Name & string
        : never
    }[keyof Part["Type"]]
  : never

/** Where a key travels: a header or a body field that the operation's own schemas have. */
type KeyPlace<D extends Wire> =
  | { readonly header: TextFields<D["headers"]>; readonly body?: never }
  | { readonly body: TextFields<D["payload"]>; readonly header?: never }

/**
 * Declares an operation that moves nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const safe = <const D extends Wire>(declaration: D): D & { readonly replay: Safe } => ({
  ...declaration,
  replay: { _tag: "Safe" }
})

/**
 * Declares an operation that carries an idempotency key, in a header or a field of the body.
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
    readonly checks: ResponseChecks<TextFields<D["payload"]>>
  }
): D & { readonly replay: Keyed; readonly checks: ResponseChecks } => {
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
 * Declares an operation that writes and has no key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const once = <const D extends Wire>(
  declaration: D & { readonly checks: ResponseChecks<TextFields<D["payload"]>> }
): D & { readonly replay: Once; readonly checks: ResponseChecks } => ({
  ...declaration,
  replay: { _tag: "Once" }
})

/**
 * Declares a group of operations by their names.
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
 * The parts of a request, by the schemas of its operation. Where there are query parameters, there may
 * be some that the interface does not show.
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
 * The errors of a call: a read's, or those of a write with a key or without one.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Error<O extends Operation> = O["replay"] extends Safe
  ? Errors.ReadError
  : O["replay"] extends Keyed
    ? Errors.KeyedWriteError
    : Errors.WriteError

/**
 * Options of one call.
 *
 * @since 0.1.0
 * @category models
 */
export interface CallOptions {
  /** How long the call may take, with its token, attempts and pauses; `retry.deadline` unless set. */
  readonly timeout?: Duration.DurationInput | undefined
  /** Changes to the gateway's retry policy for this call. */
  readonly retry?: Partial<Omit<RetryPolicy.RetryPolicy, "budget" | "deadline">> | undefined
  /** Runs when the call succeeds, such as to record the correlation id. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
}

/**
 * The response that a call succeeded with, without its data.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResponseInfo {
  readonly status: number
  /** `meta.correlation_id`, the name of this exchange at the service, if the response has one. */
  readonly correlationId: string | undefined
  /** How many times the request was sent. */
  readonly attempts: number
}

/**
 * Options of a call that is part of a longer program, such as `collect`.
 *
 * @since 0.1.0
 * @category models
 */
export interface CallHooks<in A = unknown> extends CallOptions {
  /**
   * Receives the data in the same step in which the call succeeds: an interruption right after that
   * step discards the value of the effect. Must not throw.
   */
  readonly onSuccess?: ((data: A) => void) | undefined
}

/**
 * An operation as a function: the request in, the `data` of the answer out.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Call<O extends Operation> = (
  request: Request<O>,
  options?: CallHooks<O["success"]["Type"]>
) => Effect.Effect<O["success"]["Type"], Error<O>>
