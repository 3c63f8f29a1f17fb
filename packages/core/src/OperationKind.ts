/**
 * The type of a money movement.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as OpenEnum from "./OpenEnum.js"

/**
 * The types of money movements that a request accepts.
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
 * The type of a money movement in a response: a known type, or another string.
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
