/**
 * The type of a money movement (interface section 4.1).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as OpenEnum from "./OpenEnum.js"

/**
 * The types in requests.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Input = Schema.Literal(
  "COLLECTION",
  "DEPOSIT",
  "WITHDRAWAL",
  "REFUND",
  "TRANSFER",
  "PAYOUT",
  "REVERSAL",
  "FX_CONVERSION"
)

/**
 * A type in a response.
 *
 * @since 0.1.0
 * @category schemas
 */
export const OperationKind = OpenEnum.make(...Input.literals)

/**
 * @since 0.1.0
 * @category models
 */
export type OperationKind = typeof OperationKind.Type
